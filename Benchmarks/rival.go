// SPDX-License-Identifier: Apache-2.0

// A constant answer by Go's net/http. Usage: rival PORT BODY_FILE (threads by GOMAXPROCS).
package main

import (
	"log"
	"net/http"
	"os"
	"strconv"
)

func main() {
	body, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	length := strconv.Itoa(len(body))
	handler := func(answer http.ResponseWriter, request *http.Request) {
		answer.Header().Set("Content-Type", "application/json")
		answer.Header().Set("Content-Length", length)
		answer.Write(body)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], http.HandlerFunc(handler)))
}
