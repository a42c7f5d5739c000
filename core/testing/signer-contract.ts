import type { Signer, SigningKey } from '../ports/outbound.js';
import type { Tap } from './tap.js';

/** A signer, and how a receiver checks its signatures. */
export interface SignerPlace {
  readonly signer: Signer;
  /** Creates a key that the signer can use: by its secret, or by a reference that the signer knows. */
  key(name: string): SigningKey;
  /** Whether the headers have the signature of the body by a key. `header` is the name that the signer was given. */
  verify(
    headers: Readonly<Record<string, string>>,
    about: { header: string; key: SigningKey; body: Uint8Array },
  ): Promise<boolean> | boolean;
}

const HEADER = 'X-Svc-Hook-Signature';
const PREVIOUS = 'X-Svc-Hook-Signature-Previous';

/** The contract of every signer of deliveries. */
export async function signerContract(t: Tap, open: (t: Tap) => SignerPlace): Promise<void> {
  const bodies = ['{"text":"hi"}', '', '{"text":"Grüße 😀\\u0000 \u2028"}', `{"text":"${'a'.repeat(1 << 20)}"}`];

  await t.test('a signature is that of the bytes of the body', async (t) => {
    const { signer, key, verify } = open(t);
    const [one] = [key('one')];
    for (const body of bodies) {
      const headers = await signer.sign({ header: HEADER, key: one }, body);
      t.ok(await verify(headers, { header: HEADER, key: one, body: Buffer.from(body) }), `${body.length} characters`);
      t.notOk(await verify(headers, { header: HEADER, key: one, body: Buffer.from(`${body} `) }), 'and of no other body');
    }
  });

  await t.test('a signature is by its key only', async (t) => {
    const { signer, key, verify } = open(t);
    const [one, other] = [key('one'), key('other')];
    const headers = await signer.sign({ header: HEADER, key: one }, bodies[0]!);
    t.notOk(await verify(headers, { header: HEADER, key: other, body: Buffer.from(bodies[0]!) }));
  });

  await t.test('headers are valid, and those of the previous key have other names', async (t) => {
    const { signer, key, verify } = open(t);
    const [now, previous] = [key('now'), key('previous')];
    const [first, second] = await Promise.all([
      signer.sign({ header: HEADER, key: now }, bodies[0]!),
      signer.sign({ header: PREVIOUS, key: previous }, bodies[0]!),
    ]);
    for (const [name, value] of Object.entries({ ...first, ...second })) {
      t.match(name, /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, name);
      t.match(value, /^[\x20-\x7e]+$/, name);
    }
    const names = Object.keys(first).map((name) => name.toLowerCase());
    t.notOk(
      Object.keys(second).some((name) => names.includes(name.toLowerCase())),
      'no name is in both',
    );
    const all = { ...first, ...second };
    t.ok(await verify(all, { header: HEADER, key: now, body: Buffer.from(bodies[0]!) }));
    t.ok(await verify(all, { header: PREVIOUS, key: previous, body: Buffer.from(bodies[0]!) }));
  });

  await t.test('concurrent calls do not mix', async (t) => {
    const { signer, key, verify } = open(t);
    const keys = [key('one'), key('other')];
    const calls = Array.from({ length: 20 }, (_, i) => ({ header: HEADER, key: keys[i % 2]!, body: `{"n":${i}}` }));
    const made = await Promise.all(calls.map(async ({ body, ...signature }) => signer.sign(signature, body)));
    for (const [i, call] of calls.entries()) t.ok(await verify(made[i]!, { ...call, body: Buffer.from(call.body) }), `call ${i}`);
  });
}
