import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { CopyText } from '../../components/copy.js';
import { Snippet } from '../../components/snippet.js';
import { SERVER } from '../../data/address.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';

const BASE = SERVER.href.replace(/\/$/, '');
const SHOWN = 8;

interface Token {
  readonly uuid: string;
  readonly name: string;
  readonly hint: string;
}

/** The addresses of the platform, and what clients need to call it. The admin key is never shown. */
export function Addresses({ numbers }: { numbers: readonly NumberRecord[] }) {
  const [chosen, choose] = useState<string | undefined>(undefined);
  const number = numbers.find(({ uuid }) => uuid === chosen) ?? numbers.find(({ kind }) => kind === 'channel') ?? numbers[0];
  return (
    <section class="card" aria-labelledby="addresses">
      <h2 id="addresses">Addresses</h2>
      <dl class="facts">
        <dt>Base URL</dt>
        <dd>
          <CopyText text={BASE} label="the base URL" />
        </dd>
        <dt>Admin API</dt>
        <dd>
          <CopyText text={`${BASE}/admin/v1`} label="the URL of the admin API" />
        </dd>
        <dt>Console</dt>
        <dd>
          <CopyText text={`${BASE}/console/`} label="the URL of the console" />
        </dd>
        <dt>Description</dt>
        <dd>
          <a href={`${BASE}/openapi.json`} target="_blank" rel="noreferrer">
            OpenAPI
          </a>
        </dd>
      </dl>
      {numbers.length > 0 && (
        <div class="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Number</th>
                <th scope="col">Address</th>
                <th scope="col">Tokens</th>
              </tr>
            </thead>
            <tbody>
              {numbers.slice(0, SHOWN).map((one) => (
                <tr key={one.uuid}>
                  <th scope="row">
                    <Link href={`/numbers/${one.uuid}`}>
                      <bdi>{one.name}</bdi>
                    </Link>
                  </th>
                  <td>
                    <CopyText text={one.address} label="the address" />
                  </td>
                  <td>
                    <TokenHints number={one.uuid} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {numbers.length > SHOWN && (
        <p>
          <Link href="/numbers">{numbers.length - SHOWN} more numbers</Link>
        </p>
      )}
      {number && (
        <details class="more">
          <summary>
            Lines for a <code>.env</code> file
          </summary>
          {numbers.length > 1 && (
            <div class="field">
              <label for="env-number">Number</label>
              <select id="env-number" class="select" value={number.uuid} onChange={({ currentTarget }) => choose(currentTarget.value)}>
                {numbers.map(({ uuid, name, address }) => (
                  <option key={uuid} value={uuid}>
                    {name} · {address}
                  </option>
                ))}
              </select>
            </div>
          )}
          <Env number={number} />
        </details>
      )}
    </section>
  );
}

function useTokens(number: string): readonly Token[] | undefined {
  return useQuery<{ tokens: readonly Token[] }>(`/numbers/${number}/tokens`, ['state.']).data?.tokens;
}

function TokenHints({ number }: { number: string }) {
  const tokens = useTokens(number);
  if (!tokens) return null;
  if (tokens.length === 0) return <Link href={`/numbers/${number}`}>Create one</Link>;
  return (
    <span title="The last characters of each token; its value is shown only when it is created">
      {tokens.slice(-2).map(({ uuid, hint }) => (
        <code key={uuid} class="token-hint">
          …{hint.slice(-4)}
        </code>
      ))}
      {tokens.length > 2 && <small class="quiet">and {tokens.length - 2} more</small>}
    </span>
  );
}

function Env({ number }: { number: NumberRecord }) {
  const hint = useTokens(number.uuid)?.at(-1)?.hint.slice(-4);
  const lines = [
    `POSTHORN_API=${BASE}`,
    `POSTHORN_NUMBER=${number.uuid}`,
    hint === undefined ? '# Create a token on the page of the number.' : `# The token that ends with ${hint}.`,
    'POSTHORN_TOKEN=',
    ...(number.kind === 'channel' ? ['# The secret that the channel got when it was created, or a rotated one.', 'POSTHORN_SECRET='] : []),
  ];
  return (
    <>
      <Snippet text={`${lines.join('\n')}\n`} label="the lines for .env" />
      <p class="quiet">
        Tokens and secrets are shown only once. For the numbers of a seed, <code>{POSTHORN} env -o dotenv</code> prints them.
      </p>
    </>
  );
}
