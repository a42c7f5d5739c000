import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { CopyText } from '../../components/copy.js';
import { Snippet } from '../../components/snippet.js';
import { SERVER } from '../../data/address.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { texts } from './texts.js';

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
      <h2 id="addresses">{texts.addresses}</h2>
      <dl class="facts">
        <dt>{texts.baseUrl}</dt>
        <dd>
          <CopyText text={BASE} label={texts.theBaseUrl} />
        </dd>
        <dt>{texts.adminApi}</dt>
        <dd>
          <CopyText text={`${BASE}/admin/v1`} label={texts.urlOfAdminApi} />
        </dd>
        <dt>{texts.console}</dt>
        <dd>
          <CopyText text={`${BASE}/console/`} label={texts.urlOfConsole} />
        </dd>
        <dt>{texts.description}</dt>
        <dd>
          <a href={`${BASE}/openapi.json`} target="_blank" rel="noreferrer">
            {texts.openapi}
          </a>
        </dd>
      </dl>
      {numbers.length > 0 && (
        <div class="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.number}</th>
                <th scope="col">{texts.address}</th>
                <th scope="col">{texts.tokens}</th>
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
                    <CopyText text={one.address} label={texts.theAddress} />
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
          <Link href="/numbers">{texts.moreNumbers(numbers.length - SHOWN)}</Link>
        </p>
      )}
      {number && (
        <details class="more">
          <summary>{texts.linesForEnvFile()}</summary>
          {numbers.length > 1 && (
            <div class="field">
              <label for="env-number">{texts.number}</label>
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
  if (tokens.length === 0) return <Link href={`/numbers/${number}`}>{texts.createOne}</Link>;
  return (
    <span title={texts.lastCharactersOfTokens}>
      {tokens.slice(-2).map(({ uuid, hint }) => (
        <code key={uuid} class="token-hint">
          …{hint.slice(-4)}
        </code>
      ))}
      {tokens.length > 2 && <small class="quiet">{texts.andMore(tokens.length - 2)}</small>}
    </span>
  );
}

function Env({ number }: { number: NumberRecord }) {
  const hint = useTokens(number.uuid)?.at(-1)?.hint.slice(-4);
  const lines = [
    `POSTHORN_API=${BASE}`,
    `POSTHORN_NUMBER=${number.uuid}`,
    hint === undefined ? texts.createTokenComment : texts.tokenComment(hint),
    'POSTHORN_TOKEN=',
    ...(number.kind === 'channel' ? [texts.secretComment, 'POSTHORN_SECRET='] : []),
  ];
  return (
    <>
      <Snippet text={`${lines.join('\n')}\n`} label={texts.theEnvLines} />
      <p class="quiet">{texts.shownOnlyOnce(POSTHORN)}</p>
    </>
  );
}
