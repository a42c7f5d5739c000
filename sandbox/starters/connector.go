// A channel connector: it receives messages to contacts, and posts messages of contacts and statuses. See README.md.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

type object = map[string]any

type delivery struct {
	To   string
	Turn *struct {
		Text, Image, Video, Audio, Document struct{ Body, Caption, Link string }
		Template                            struct{ Name string }
		Interactive                         struct {
			Type   string
			Body   struct{ Text string }
			Action struct {
				Buttons  []struct{ Reply object }
				Sections []struct{ Rows []object }
			}
		}
	}
}

// isSigned verifies the raw bytes, before they are parsed.
func isSigned(body []byte, signature, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return secret != "" && hmac.Equal([]byte(signature), []byte(base64.StdEncoding.EncodeToString(mac.Sum(nil))))
}

// textOf turns every kind of message into plain text, and notes its options for replies.
func textOf(id string, d delivery) string {
	t, rows := d.Turn, []object{}
	text := t.Text.Body + t.Interactive.Body.Text + t.Image.Link + t.Video.Link + t.Audio.Link + t.Document.Link + t.Template.Name
	for _, button := range t.Interactive.Action.Buttons {
		rows = append(rows, button.Reply)
	}
	for _, section := range t.Interactive.Action.Sections {
		rows = append(rows, section.Rows...)
	}
	for i, row := range rows {
		noteOption(id, d.To, t.Interactive.Type+"_reply", row)
		text += fmt.Sprintf("\n%d. %v", i+1, row["title"])
	}
	return text
}

func serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var d delivery
	var a object
	// The same in every attempt of a delivery: a repetition must not reach the contact again.
	switch id := r.Header.Get("X-Svc-Hook-Delivery"); {
	case r.URL.Path == "/phone":
		err := json.Unmarshal(body, &a)
		if err == nil {
			err = act(a)
		}
		if err != nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(502)
			json.NewEncoder(w).Encode(object{"error": err.Error()})
		}
	case !isSigned(body, r.Header.Get("X-Svc-Hook-Signature"), os.Getenv("POSTHORN_SECRET")):
		http.Error(w, "signature", 401)
	// A retry would bring the same body, so refuse it with a 4XX, which cancels retries.
	case json.Unmarshal(body, &d) != nil || d.Turn == nil:
		http.Error(w, "not a message", 400)
	default:
		text := textOf(id, d)
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(object{"messages": []object{{"id": id}}})
		go pass(id, r.Header.Get("X-Svc-Hook-Run"), d.To, text)
	}
}
