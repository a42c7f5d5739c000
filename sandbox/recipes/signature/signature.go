package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
)

// IsSigned says whether header, the X-Svc-Hook-Signature of a request, belongs to its raw body.
func IsSigned(secret string, rawBody []byte, header string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(rawBody)
	expected := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(header), []byte(expected))
}

// POSTHORN_SECRET=… go run signature.go SIGNATURE < body
func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	if IsSigned(os.Getenv("POSTHORN_SECRET"), body, os.Args[1]) {
		fmt.Println("signed")
	} else {
		fmt.Println("not signed")
	}
}
