import { texts } from './texts.js';
/** The addresses in a starter connector. */
export interface StarterFor {
  readonly api: string;
  readonly number: string;
  readonly endpoint: string;
  /** The name of the header with the signature. */
  readonly header: string;
}

export const languages = {
  typescript: { title: texts.typescript, file: 'connector.mts', run: 'npx tsx connector.mts' },
  python: { title: texts.python, file: 'connector.py', run: 'python3 connector.py' },
  go: { title: texts.go, file: 'connector.go', run: 'go run connector.go' },
} as const;
export type Language = keyof typeof languages;

/** A connector of about thirty lines that runs without packages. */
export function starterOf(language: Language, { api, number, endpoint, header }: StarterFor): string {
  const statuses = `${api}/v1/numbers/${number}/statuses`;
  return starters[language](statuses, portOf(endpoint), header);
}

/** The port of the endpoint, on which the connector listens. */
function portOf(endpoint: string): string {
  const { port } = new URL(endpoint);
  return port === '' ? '3000' : port;
}

const starters: Readonly<Record<Language, (statuses: string, port: string, header: string) => string>> = {
  typescript: (statuses, port, header) => `import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { POSTHORN_SECRET = '', POSTHORN_TOKEN = '' } = process.env;

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  // The signature covers the raw bytes: verify it before parsing.
  const expected = Buffer.from(createHmac('sha256', POSTHORN_SECRET).update(body).digest('base64'));
  const given = Buffer.from(String(request.headers['${header.toLowerCase()}']));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return response.writeHead(401).end();
  const { to, turn } = JSON.parse(body.toString());
  const id = randomUUID();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ messages: [{ id }] }));
  // Pass the message to your messaging service here, and report the statuses that it gives you.
  console.log('to', to, turn);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const reported = await fetch('${statuses}', {
    method: 'POST',
    headers: { authorization: \`Bearer \${POSTHORN_TOKEN}\`, 'content-type': 'application/json' },
    body: JSON.stringify({ status: { id, recipient_id: to, status: 'delivered', timestamp } }),
  });
  if (!reported.ok) console.error('status:', reported.status, await reported.text());
}).listen(${port}, () => console.log('connector on port ${port}'));
`,
  python: (statuses, port, header) => `import base64, hashlib, hmac, json, os, time, urllib.request, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["POSTHORN_SECRET"].encode()
TOKEN = os.environ["POSTHORN_TOKEN"]


class Connector(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        # The signature covers the raw bytes: verify it before parsing.
        expected = base64.b64encode(hmac.new(SECRET, body, hashlib.sha256).digest())
        if not hmac.compare_digest(expected, (self.headers["${header}"] or "").encode()):
            return self.send_error(401)
        message, id = json.loads(body), str(uuid.uuid4())
        text = json.dumps({"messages": [{"id": id}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        # Pass the message to your messaging service here, and report the statuses that it gives you.
        print("to", message["to"], message["turn"])
        status = {"id": id, "recipient_id": message["to"], "status": "delivered", "timestamp": str(int(time.time()))}
        headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
        report = json.dumps({"status": status}).encode()
        urllib.request.urlopen(urllib.request.Request("${statuses}", report, headers), timeout=10).close()


print("connector on port ${port}", flush=True)
ThreadingHTTPServer(("", ${port}), Connector).serve_forever()
`,
  go: (statuses, port, header) => `package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		// The signature covers the raw bytes: verify it before parsing.
		mac := hmac.New(sha256.New, []byte(os.Getenv("POSTHORN_SECRET")))
		mac.Write(body)
		expected := base64.StdEncoding.EncodeToString(mac.Sum(nil))
		if !hmac.Equal([]byte(expected), []byte(r.Header.Get("${header}"))) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var message struct {
			To   string          \`json:"to"\`
			Turn json.RawMessage \`json:"turn"\`
		}
		json.Unmarshal(body, &message)
		id := fmt.Sprintf("out-%d", time.Now().UnixNano())
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, \`{"messages":[{"id":%q}]}\`, id)
		// Pass the message to your messaging service here, and report the statuses that it gives you.
		log.Println("to", message.To, string(message.Turn))
		go report(id, message.To)
	})
	log.Println("connector on port ${port}")
	log.Fatal(http.ListenAndServe(":${port}", nil))
}

func report(id, to string) {
	status := map[string]any{"status": map[string]string{
		"id": id, "recipient_id": to, "status": "delivered", "timestamp": fmt.Sprint(time.Now().Unix()),
	}}
	body, _ := json.Marshal(status)
	request, _ := http.NewRequest("POST", "${statuses}", bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("POSTHORN_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Println("status:", err)
		return
	}
	response.Body.Close()
}
`,
};
