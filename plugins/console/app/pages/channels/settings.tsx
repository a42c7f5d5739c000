import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ActButton, ActForm, Field } from '../../components/act.js';
import { ShownOnce } from '../../components/snippet.js';
import { Time } from '../../components/time.js';
import type { AboutChannel } from './about-channel.js';
import { texts } from './texts.js';

const OVERLAPS = [
  [0, texts.stopTheOldSecret],
  [1, texts.signWithBothFor1],
  [24, texts.signWithBothFor12],
] as const;

/** Changes the endpoint and the secret of a connector, and lists what else subscribes. */
export function Settings({ channel, webhooks, connector, reload }: AboutChannel) {
  const { number } = channel;
  const [endpoint, setEndpoint] = useState(channel.webhooks[0]?.url ?? '');
  const [isSaved, setSaved] = useState(false);
  return (
    <div class="channel-part">
      <ActForm
        label={texts.changeTheEndpoint}
        verb={texts.saveTheEndpoint}
        action={{ method: 'PATCH', path: `/channels/${number.uuid}`, payload: { endpoint } }}
        done={() => {
          setSaved(true);
          reload();
        }}
      >
        <Field
          label={texts.endpointOfTheConnector}
          type="url"
          value={endpoint}
          set={(value) => {
            setSaved(false);
            setEndpoint(value);
          }}
          note={texts.pendingRetriesUseTheNew}
        />
        {isSaved && <p role="status">{texts.savedTheNextAttemptGoes}</p>}
      </ActForm>
      {connector && <Secret webhook={connector.uuid} previousUntil={connector.previous_secret_until} done={reload} />}
      <section class="part" aria-labelledby="subscriptions">
        <h3 id="subscriptions">{texts.subscriptions}</h3>
        {webhooks.length === 0 ? (
          <p class="quiet">{texts.noWebhooks}</p>
        ) : (
          <div class="table-scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">{texts.webhook}</th>
                  <th scope="col">{texts.subscribesTo}</th>
                  <th scope="col">{texts.url}</th>
                </tr>
              </thead>
              <tbody>
                {webhooks.map(({ uuid, name, url, subscriptions }) => (
                  <tr key={uuid}>
                    <th scope="row">
                      <Link href={`/webhooks/${uuid}`}>
                        <bdi>{name}</bdi>
                      </Link>
                      {uuid === connector?.uuid && <small class="quiet"> {texts.connector}</small>}
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
      <h3 id="secret">{texts.secret2}</h3>
      <p>{texts.theConnectorVerifiesThe}</p>
      {previousUntil !== undefined && (
        <p class="callout">
          {texts.aSecondHeaderHasThe} <Time at={previousUntil} />.
        </p>
      )}
      {secret !== undefined && <ShownOnce text={secret} what={texts.secret} />}
      <div class="field">
        <label for="overlap">{texts.whenItIsRotated}</label>
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
          title: texts.rotateTheSecret,
          text: hours === 0 ? texts.theConnectorRejectsEvery : texts.theConnectorMustTakeThe,
          verb: texts.rotateSecret,
        }}
        announcement={texts.theSecretWasRotated}
        done={({ hmac_secret }) => {
          setSecret(hmac_secret);
          done();
        }}
      >
        {texts.rotateTheSecret2}
      </ActButton>
    </section>
  );
}
