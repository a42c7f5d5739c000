// Complete receivers that verify signatures, and for each mistake the lines of a receiver that makes it. A test runs each receiver, with
// and without the mistakes, so a line that changes here must still be true.

import type { CodeMistake } from './mistakes.js';

/** The frameworks for which an explanation has code. */
export const frameworks = ['express', 'fastify', 'hapi', 'flask', 'go'] as const;
export type Framework = (typeof frameworks)[number];

/** Lines of a receiver, and those with which it makes a mistake. */
type Change = readonly [right: string, wrong: string];

export interface Receiver {
  readonly title: string;
  /** For syntax highlighting. */
  readonly language: 'js' | 'python' | 'go';
  /** A complete program. It reads the secret from the environment variable POSTHORN_SECRET. */
  readonly code: string;
  /** Each `right` occurs exactly once in `code`. */
  readonly mistakes: Readonly<Record<CodeMistake, readonly Change[]>>;
}

/** A program that is indented by four spaces here. */
const dedented = (text: string): string => `${text.replace(/^ {4}/gm, '').trim()}\n`;

/** The changes that are the same in every receiver of Node.js. */
const inNode = {
  hex: [[".digest('base64')", ".digest('hex')"]],
  base64url: [[".digest('base64')", ".digest('base64url')"]],
  no_padding: [[".digest('base64')", ".digest('base64').replace(/=+$/, '')"]],
  sha1: [["createHmac('sha256',", "createHmac('sha1',"]],
  sha512: [["createHmac('sha256',", "createHmac('sha512',"]],
  trailing_newline: [['.update(rawBody)', String.raw`.update(rawBody + '\n')`]],
  key_base64_decoded: [
    ['const secret = process.env.POSTHORN_SECRET;', "const secret = Buffer.from(process.env.POSTHORN_SECRET, 'base64');"],
  ],
} satisfies Partial<Receiver['mistakes']>;

const express: Receiver = {
  title: 'Express',
  language: 'js',
  code: dedented(`
    import { createHmac, timingSafeEqual } from 'node:crypto';
    import express from 'express';

    const secret = process.env.POSTHORN_SECRET;
    const app = express();

    // Before any app.use(express.json()), which would parse the body first.
    app.post('/hook', express.raw({ type: '*/*', limit: '4mb' }), (req, res) => {
      const rawBody = req.body;
      const expected = createHmac('sha256', secret).update(rawBody).digest('base64');
      const given = Buffer.from(req.get('X-Svc-Hook-Signature') ?? '');
      if (given.length !== expected.length || !timingSafeEqual(given, Buffer.from(expected))) return res.sendStatus(401);
      const event = JSON.parse(rawBody);
      console.log(event);
      res.sendStatus(200);
    });

    app.listen(process.env.PORT ?? 3000);
  `),
  mistakes: {
    ...inNode,
    reserialized: [
      ["express.raw({ type: '*/*', limit: '4mb' })", 'express.json()'],
      ['const rawBody = req.body;', 'const rawBody = JSON.stringify(req.body);'],
    ],
    pretty_printed: [
      ["express.raw({ type: '*/*', limit: '4mb' })", 'express.json()'],
      ['const rawBody = req.body;', 'const rawBody = JSON.stringify(req.body, null, 2);'],
    ],
  },
};

const fastify: Receiver = {
  title: 'Fastify',
  language: 'js',
  code: dedented(`
    import { createHmac, timingSafeEqual } from 'node:crypto';
    import Fastify from 'fastify';

    const secret = process.env.POSTHORN_SECRET;
    const app = Fastify({ bodyLimit: 4 * 1024 * 1024 });

    // Inside register, so that other routes still parse JSON.
    app.register(async (hooks) => {
      hooks.removeAllContentTypeParsers();
      hooks.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body));

      hooks.post('/hook', async (request, reply) => {
        const rawBody = request.body;
        const expected = createHmac('sha256', secret).update(rawBody).digest('base64');
        const given = Buffer.from(request.headers['x-svc-hook-signature'] ?? '');
        if (given.length !== expected.length || !timingSafeEqual(given, Buffer.from(expected))) return reply.code(401).send();
        const event = JSON.parse(rawBody);
        console.log(event);
        return reply.code(200).send();
      });
    });

    await app.listen({ port: Number(process.env.PORT ?? 3000) });
  `),
  mistakes: {
    ...inNode,
    reserialized: [
      ['  hooks.removeAllContentTypeParsers();\n', ''],
      ["  hooks.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body));\n", ''],
      ['const rawBody = request.body;', 'const rawBody = JSON.stringify(request.body);'],
    ],
    pretty_printed: [
      ['  hooks.removeAllContentTypeParsers();\n', ''],
      ["  hooks.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body));\n", ''],
      ['const rawBody = request.body;', 'const rawBody = JSON.stringify(request.body, null, 2);'],
    ],
  },
};

const hapi: Receiver = {
  title: 'hapi',
  language: 'js',
  code: dedented(`
    import { createHmac, timingSafeEqual } from 'node:crypto';
    import Hapi from '@hapi/hapi';

    const secret = process.env.POSTHORN_SECRET;
    const server = Hapi.server({ port: process.env.PORT ?? 3000 });

    server.route({
      method: 'POST',
      path: '/hook',
      options: { payload: { parse: false, output: 'data', maxBytes: 4 * 1024 * 1024 } },
      handler(request, h) {
        const rawBody = request.payload;
        const expected = createHmac('sha256', secret).update(rawBody).digest('base64');
        const given = Buffer.from(request.headers['x-svc-hook-signature'] ?? '');
        if (given.length !== expected.length || !timingSafeEqual(given, Buffer.from(expected))) return h.response().code(401);
        const event = JSON.parse(rawBody);
        console.log(event);
        return h.response().code(200);
      },
    });

    await server.start();
  `),
  mistakes: {
    ...inNode,
    reserialized: [
      ['parse: false', 'parse: true'],
      ['const rawBody = request.payload;', 'const rawBody = JSON.stringify(request.payload);'],
    ],
    pretty_printed: [
      ['parse: false', 'parse: true'],
      ['const rawBody = request.payload;', 'const rawBody = JSON.stringify(request.payload, null, 2);'],
    ],
  },
};

const flask: Receiver = {
  title: 'Flask',
  language: 'python',
  code: dedented(`
    import base64, hashlib, hmac, json, os
    from flask import Flask, request

    secret = os.environ["POSTHORN_SECRET"].encode()
    app = Flask(__name__)


    @app.post("/hook")
    def hook():
        raw_body = request.get_data()
        digest = hmac.new(secret, raw_body, hashlib.sha256).digest()
        expected = base64.b64encode(digest).decode()
        given = request.headers.get("X-Svc-Hook-Signature", "")
        if not hmac.compare_digest(given.encode(), expected.encode()):
            return "", 401
        event = json.loads(raw_body)
        print(event)
        return "", 200


    if __name__ == "__main__":
        app.run(port=int(os.environ.get("PORT", "3000")))
  `),
  mistakes: {
    hex: [['base64.b64encode(digest).decode()', 'digest.hex()']],
    base64url: [['base64.b64encode(digest)', 'base64.urlsafe_b64encode(digest)']],
    no_padding: [['base64.b64encode(digest).decode()', 'base64.b64encode(digest).decode().rstrip("=")']],
    sha1: [['hashlib.sha256', 'hashlib.sha1']],
    sha512: [['hashlib.sha256', 'hashlib.sha512']],
    reserialized: [['raw_body = request.get_data()', 'raw_body = json.dumps(request.get_json()).encode()']],
    pretty_printed: [['raw_body = request.get_data()', 'raw_body = json.dumps(request.get_json(), indent=2).encode()']],
    trailing_newline: [['hmac.new(secret, raw_body,', String.raw`hmac.new(secret, raw_body + b"\n",`]],
    key_base64_decoded: [
      ['secret = os.environ["POSTHORN_SECRET"].encode()', 'secret = base64.urlsafe_b64decode(os.environ["POSTHORN_SECRET"] + "==")'],
    ],
  },
};

const go: Receiver = {
  title: 'Go',
  language: 'go',
  code: dedented(`
    package main

    import (
    	"crypto/hmac"
    	"crypto/sha256"
    	"encoding/base64"
    	"encoding/json"
    	"io"
    	"log"
    	"net/http"
    	"os"
    )

    var secret = []byte(os.Getenv("POSTHORN_SECRET"))

    func hook(w http.ResponseWriter, r *http.Request) {
    	body := http.MaxBytesReader(w, r.Body, 4<<20)
    	rawBody, err := io.ReadAll(body)
    	if err != nil {
    		http.Error(w, "the body cannot be read", http.StatusBadRequest)
    		return
    	}
    	mac := hmac.New(sha256.New, secret)
    	mac.Write(rawBody)
    	expected := base64.StdEncoding.EncodeToString(mac.Sum(nil))
    	given := r.Header.Get("X-Svc-Hook-Signature")
    	if !hmac.Equal([]byte(given), []byte(expected)) {
    		w.WriteHeader(http.StatusUnauthorized)
    		return
    	}
    	var event map[string]any
    	if err := json.Unmarshal(rawBody, &event); err != nil {
    		http.Error(w, "the body is not JSON", http.StatusBadRequest)
    		return
    	}
    	log.Println(event)
    }

    func main() {
    	port := os.Getenv("PORT")
    	if port == "" {
    		port = "3000"
    	}
    	http.HandleFunc("POST /hook", hook)
    	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
    }
  `),
  mistakes: {
    hex: [
      ['"encoding/base64"', '"encoding/hex"'],
      ['base64.StdEncoding.EncodeToString(', 'hex.EncodeToString('],
    ],
    base64url: [['base64.StdEncoding', 'base64.URLEncoding']],
    no_padding: [['base64.StdEncoding', 'base64.RawStdEncoding']],
    sha1: [
      ['"crypto/sha256"', '"crypto/sha1"'],
      ['sha256.New', 'sha1.New'],
    ],
    sha512: [
      ['"crypto/sha256"', '"crypto/sha512"'],
      ['sha256.New', 'sha512.New'],
    ],
    reserialized: [
      ['\t"io"\n', ''],
      [
        '\trawBody, err := io.ReadAll(body)\n',
        '\tvar parsed map[string]any\n\tjson.NewDecoder(body).Decode(&parsed)\n\trawBody, err := json.Marshal(parsed)\n',
      ],
    ],
    pretty_printed: [
      ['\t"io"\n', ''],
      [
        '\trawBody, err := io.ReadAll(body)\n',
        '\tvar parsed map[string]any\n\tjson.NewDecoder(body).Decode(&parsed)\n\trawBody, err := json.MarshalIndent(parsed, "", "  ")\n',
      ],
    ],
    trailing_newline: [['mac.Write(rawBody)', String.raw`mac.Write(append(rawBody, '\n'))`]],
    key_base64_decoded: [
      [
        'var secret = []byte(os.Getenv("POSTHORN_SECRET"))',
        'var secret, _ = base64.RawURLEncoding.DecodeString(os.Getenv("POSTHORN_SECRET"))',
      ],
    ],
  },
};

/** A receiver of each framework. The header is that of the default dialect, in the spelling of the framework. */
export const receivers: Readonly<Record<Framework, Receiver>> = { express, fastify, hapi, flask, go };
