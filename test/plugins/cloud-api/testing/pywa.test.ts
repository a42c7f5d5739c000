import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { ADA, BOB, startStandIn } from './stand-in-under-test.js';

const run = promisify(execFile);
const VERSION = '4.4.0';
const LIMIT_MS = 120_000;
/** Installed by people or CI beforehand: tests download nothing. */
const python = process.env.POSTHORN_PYTHON ?? 'python3';

const problem = await run(python, ['-c', 'import pywa; print(pywa.__version__)'], { timeout: LIMIT_MS }).then(
  ({ stdout }) => (stdout.trim() === VERSION ? undefined : `pywa is ${stdout.trim()}, not ${VERSION}`),
  () => `${python} cannot import pywa: pip install pywa==${VERSION} httpx`,
);

t.test(
  'pywa, an independent client, sends, marks as read, uploads, downloads, manages flows and accepts webhooks',
  { skip: problem ?? false },
  async (t) => {
    const { standIn, calls, phoneNumberId } = await startStandIn(t);
    const inbound = await standIn.write(ADA, 'Grüße 😀 1/2');
    await standIn.write(BOB, 'hi');
    standIn.rule({ on: { to: BOB }, error: 131056 });
    const { bytes, headers } = calls[0]!;
    const { url, accessToken, appSecret, verifyToken, numbers } = standIn;
    const given = {
      ...{ url, accessToken, appSecret, verifyToken, phoneNumberId, wabaId: numbers[0]!.wabaId },
      ...{ to: ADA, throttled: BOB, webhook: bytes.toString('base64'), signature: headers['x-hub-signature-256'], inbound },
    };
    const script = join(process.cwd(), 'test/plugins/cloud-api/testing/pywa_client.py');
    const { stdout } = await run(python, [script, JSON.stringify(given)], { timeout: LIMIT_MS });
    const report = JSON.parse(stdout);
    t.strictSame(report.received, ['Grüße 😀 1/2']);
    t.strictSame([report.accepted, report.forged], [null, ['Forbidden', 403]]);
    t.equal(report.sent, standIn.sent[0]!.id);
    t.match(standIn.sent[0]!.body, { type: 'interactive', biz_opaque_callback_data: 'ours' });
    t.match(standIn.readMarks, [{ id: inbound }, { id: inbound, isTyping: true }]);
    t.match(report.sha256, /^[0-9a-f]{64}$/);
    t.strictSame(report.content, [0x89, 0x50, 0x4e, 0x47]);
    t.match(report, { uploaded: true, published: true, flows: [['survey 2', 'PUBLISHED']], deprecated: true, refused: String });
    t.match(standIn.flows, [{ id: report.flow, name: 'survey 2', status: 'DEPRECATED' }]);
    t.equal(report.error, 'TooManyMessages');
  },
);
