import { useState } from 'preact/hooks';
import { locale } from '../../../../../core/web/language.js';
import { ActButton, ActForm, Field } from '../../components/act.js';
import { ShownOnce, Snippet } from '../../components/snippet.js';
import { Failure, Loading } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { SERVER } from '../../data/address.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { texts } from './texts.js';

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
  const [name, setName] = useState(texts.myClient);
  const [created, setCreated] = useState<{ token: Token; text: string } | undefined>(undefined);
  return (
    <section class="part" aria-labelledby="tokens">
      <h3 id="tokens">{texts.tokens}</h3>
      {created && (
        <ShownOnce text={created.text} what={texts.token}>
          <details class="more">
            <summary>{texts.tryIt}</summary>
            <Snippet text={exampleCall(number, created.text)} label={texts.theExampleCall} />
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
        <p class="quiet">{texts.thisNumberHasNoToken}</p>
      ) : (
        <div class="table-scroll">
          <table class="words">
            <thead>
              <tr>
                <th scope="col">{texts.label}</th>
                <th scope="col">{texts.endsWith}</th>
                <th scope="col">{texts.lastUsed}</th>
                <th scope="col">{texts.expires}</th>
                <th scope="col">
                  <span class="unseen">{texts.actions}</span>
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
                    {token.last_used_at === undefined ? (
                      <span class="quiet">{texts.notSinceTheStart}</span>
                    ) : (
                      <Time at={token.last_used_at} />
                    )}
                  </td>
                  <td class="short">
                    <time dateTime={token.expires_at} title={token.expires_at}>
                      {new Date(token.expires_at).toLocaleDateString(locale, { dateStyle: 'medium' })}
                    </time>
                  </td>
                  <td>
                    <ActButton
                      look="button plain danger"
                      action={{ method: 'DELETE', path: `${path}/${token.uuid}` }}
                      confirm={{
                        title: texts.revoke(token.name),
                        text: texts.callsWithTheTokenThat(token.hint.slice(-4)),
                        verb: texts.revokeToken,
                      }}
                      announcement={texts.theTokenWasRevoked}
                      hasCopy={false}
                      done={() => {
                        if (created?.token.uuid === token.uuid) setCreated(undefined);
                        reload();
                      }}
                    >
                      {texts.revoke2}
                      <span class="unseen"> {token.name}</span>
                    </ActButton>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <details class="more" open={data?.tokens.length === 0}>
        <summary>{texts.createAToken}</summary>
        <ActForm<{ token: Token; text: string }>
          label={texts.createAToken}
          verb={texts.createToken}
          action={{ method: 'POST', path, payload: { name } }}
          done={(made) => {
            setCreated(made);
            reload();
          }}
        >
          <Field label={texts.label} value={name} set={setName} note={texts.whichClientUsesItThe} />
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
      : ['v1/messages', { to: '+27820001001', type: 'text', text: { body: texts.hello } }];
  return [
    `curl '${SERVER.href}${path}'`,
    `-H 'Authorization: Bearer ${token}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ');
}
