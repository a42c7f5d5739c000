import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ActButton, ActForm, Field } from '../../components/act.js';
import { ShownOnce } from '../../components/snippet.js';
import type { AboutChannel } from './about-channel.js';

const OVERLAPS = [
  [0, 'Stop the old secret immediately'],
  [1, 'Sign with both for 1 hour'],
  [24, 'Sign with both for 1 day'],
] as const;

/** Changes the endpoint and the secret of a connector, and lists what else subscribes. */
export function Settings({ channel, webhooks, connector, reload }: AboutChannel) {
  const { number } = channel;
  const [endpoint, setEndpoint] = useState(channel.webhooks[0]?.url ?? '');
  const [isSaved, setSaved] = useState(false);
  return (
    <div class="channel-part">
      <ActForm
        label="Change the endpoint"
        verb="Save the endpoint"
        action={{ method: 'PATCH', path: `/channels/${number.uuid}`, payload: { endpoint } }}
        done={() => {
          setSaved(true);
          reload();
        }}
      >
        <Field
          label="Endpoint of the connector"
          type="url"
          value={endpoint}
          set={(value) => {
            setSaved(false);
            setEndpoint(value);
          }}
          note="Pending retries use the new endpoint, too."
        />
        {isSaved && <p role="status">Saved. The next attempt goes to this endpoint.</p>}
      </ActForm>
      {connector && <Secret webhook={connector.uuid} previousUntil={connector.previous_secret_until} done={reload} />}
      <section class="part" aria-labelledby="subscriptions">
        <h3 id="subscriptions">Subscriptions</h3>
        {webhooks.length === 0 ? (
          <p class="quiet">No webhooks.</p>
        ) : (
          <div class="table-scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">Webhook</th>
                  <th scope="col">Subscribes to</th>
                  <th scope="col">URL</th>
                </tr>
              </thead>
              <tbody>
                {webhooks.map(({ uuid, name, url, subscriptions }) => (
                  <tr key={uuid}>
                    <th scope="row">
                      <Link href={`/webhooks/${uuid}`}>
                        <bdi>{name}</bdi>
                      </Link>
                      {uuid === connector?.uuid && <small class="quiet"> connector</small>}
                    </th>
                    <td>{subscriptions.join(', ')}</td>
                    <td>
                      <code>{url}</code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
    </div>
  );
}

function Secret({ webhook, previousUntil, done }: { webhook: string; previousUntil: string | undefined; done: () => void }) {
  const [hours, setHours] = useState(0);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  return (
    <section class="part" aria-labelledby="secret">
      <h3 id="secret">Secret</h3>
      <p>The connector verifies the signatures of deliveries with it. Only the response that creates a secret shows it.</p>
      {previousUntil !== undefined && (
        <p class="callout">
          A second header has the signature by the old secret until <time dateTime={previousUntil}>{previousUntil}</time>.
        </p>
      )}
      {secret !== undefined && <ShownOnce text={secret} what="secret" />}
      <div class="field">
        <label for="overlap">When it is rotated</label>
        <select id="overlap" class="select" value={String(hours)} onChange={({ currentTarget }) => setHours(Number(currentTarget.value))}>
          {OVERLAPS.map(([value, text]) => (
            <option key={value} value={String(value)}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <ActButton<{ hmac_secret: string }>
        look="button outlined"
        action={{ method: 'POST', path: `/webhooks/${webhook}/rotate-secret`, payload: { overlap_hours: hours } }}
        confirm={{
          title: 'Rotate the secret?',
          text:
            hours === 0
              ? 'The connector rejects every delivery until it has the new secret.'
              : 'The connector must take the new secret before the overlap ends.',
          verb: 'Rotate secret',
        }}
        announcement="The secret was rotated"
        done={({ hmac_secret }) => {
          setSecret(hmac_secret);
          done();
        }}
      >
        Rotate the secret
      </ActButton>
    </section>
  );
}
