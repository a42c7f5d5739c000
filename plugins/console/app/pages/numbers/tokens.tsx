import { useState } from 'preact/hooks';
import { ActButton, ActForm, Field } from '../../components/act.js';
import { ShownOnce, Snippet } from '../../components/snippet.js';
import { Failure, Loading } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { SERVER } from '../../data/address.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';

interface Token {
  readonly uuid: string;
  readonly name: string;
  readonly hint: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at?: string;
}

/** The tokens of a number: created, shown once, revoked. */
export function Tokens({ number }: { number: NumberRecord }) {
  const path = `/numbers/${number.uuid}/tokens`;
  const { data, error, reload } = useQuery<{ tokens: readonly Token[] }>(path, ['call.', 'state.']);
  const [name, setName] = useState('My client');
  const [created, setCreated] = useState<{ token: Token; text: string } | undefined>(undefined);
  return (
    <section class="part" aria-labelledby="tokens">
      <h3 id="tokens">Tokens</h3>
      {created && (
        <ShownOnce text={created.text} what="token">
          <details class="more">
            <summary>Try it</summary>
            <Snippet text={exampleCall(number, created.text)} label="the example call" />
          </details>
        </ShownOnce>
      )}
      {!data ? (
        error ? (
          <Failure error={error} retry={reload} />
        ) : (
          <Loading />
        )
      ) : data.tokens.length === 0 ? (
        <p class="quiet">This number has no token, so no client can call the API as this number.</p>
      ) : (
        <div class="table-scroll">
          <table class="words">
            <thead>
              <tr>
                <th scope="col">Label</th>
                <th scope="col">Ends with</th>
                <th scope="col">Last used</th>
                <th scope="col">Expires</th>
                <th scope="col">
                  <span class="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.tokens.map((token) => (
                <tr key={token.uuid}>
                  <th scope="row">
                    <bdi>{token.name}</bdi>
                  </th>
                  <td>
                    <code>…{token.hint.slice(-4)}</code>
                  </td>
                  <td>
                    {token.last_used_at === undefined ? <span class="quiet">not since the start</span> : <Time at={token.last_used_at} />}
                  </td>
                  <td class="short">
                    <time dateTime={token.expires_at}>{token.expires_at.slice(0, 10)}</time>
                  </td>
                  <td>
                    <ActButton
                      look="button plain danger"
                      action={{ method: 'DELETE', path: `${path}/${token.uuid}` }}
                      confirm={{
                        title: `Revoke “${token.name}”?`,
                        text: `Calls with the token that ends with ${token.hint.slice(-4)} get 401 immediately. A revoked token cannot be restored.`,
                        verb: 'Revoke token',
                      }}
                      announcement="The token was revoked"
                      hasCopy={false}
                      done={() => {
                        if (created?.token.uuid === token.uuid) setCreated(undefined);
                        reload();
                      }}
                    >
                      Revoke<span class="unseen"> {token.name}</span>
                    </ActButton>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <details class="more" open={data?.tokens.length === 0}>
        <summary>Create a token</summary>
        <ActForm<{ token: Token; text: string }>
          label="Create a token"
          verb="Create token"
          action={{ method: 'POST', path, payload: { name } }}
          done={(made) => {
            setCreated(made);
            reload();
          }}
        >
          <Field label="Label" value={name} set={setName} note="Which client uses it. The token expires after a year." />
        </ActForm>
      </details>
    </section>
  );
}

function exampleCall({ kind, uuid }: NumberRecord, token: string): string {
  const [path, body] =
    kind === 'channel'
      ? [
          `v1/numbers/${uuid}/messages`,
          {
            contact: { id: 'web-1', profile: { name: 'Ann' } },
            message: { type: 'text', from: 'web-1', id: 'in-1', timestamp: '1767600000', text: { body: 'hi' } },
          },
        ]
      : ['v1/messages', { to: '+27820001001', type: 'text', text: { body: 'Hello' } }];
  return [
    `curl '${SERVER.href}${path}'`,
    `-H 'Authorization: Bearer ${token}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ');
}
