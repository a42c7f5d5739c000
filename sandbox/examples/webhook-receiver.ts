/** A webhook endpoint: it checks the signature over the raw bytes, and remembers message ids to drop duplicates. Only Node. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

let secret = process.env.POSTHORN_SECRET ?? '';
const port = Number(process.env.PORT ?? 0);
process.on('message', (message) => (secret = (message as { secret: string }).secret));
process.on('disconnect', () => process.exit());
// Ctrl-C reaches every process of the terminal; as somebody's child, the parent decides when to end.
if (process.send) process.on('SIGINT', () => {});

const seen = new Set<string>();

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const right = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(String(request.headers['x-svc-hook-signature']), 'base64');
  const isSigned = given.length === right.length && timingSafeEqual(given, right);
  response
    .writeHead(isSigned ? 200 : 401, { 'content-type': 'application/json' })
    .end(JSON.stringify({ signature: isSigned ? 'ok' : 'rejected' }));
  if (!isSigned) return;
  const { messages = [], statuses = [] } = JSON.parse(body.toString());
  for (const { id, status } of [...messages, ...statuses]) {
    const key = `${id} ${status ?? 'message'}`;
    if (seen.has(key)) continue;
    seen.add(key);
    // Your own work goes here: after the answer, so that the endpoint stays fast.
  }
});

server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
  if (process.send) process.send({ url });
  else console.log(`webhook receiver on ${url}`);
});
