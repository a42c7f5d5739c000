package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"testing"
)

func TestOnlyBodiesWithTheRightSignatureAreSigned(t *testing.T) {
	body := []byte(`{"turn":{}}`)
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write(body)
	signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if !isSigned(body, signature, "secret") {
		t.Error("the right signature is refused")
	}
	if isSigned(body, signature, "another secret") || isSigned(body, "", "secret") {
		t.Error("a wrong signature is accepted")
	}
}
