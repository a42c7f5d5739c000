import { useId, useState } from 'preact/hooks';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActForm, Field } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import type { NumberRecord, ShownWebhook } from '../../data/records.js';
import { texts } from './texts.js';

export interface SubscriptionName {
  readonly kind: 'network' | 'service' | 'journey_outbound' | 'channel';
  readonly name: string;
}

/** The events of each subscription. */
export const eventsOf: Readonly<Record<SubscriptionName['kind'], string>> = {
  network: texts.eventsOfNetwork,
  service: texts.eventsOfService,
  journey_outbound: texts.eventsOfJourneys,
  channel: texts.eventsOfChannel,
};

interface WebhookFormProps {
  /** Undefined creates a webhook. */
  readonly webhook?: ShownWebhook;
  readonly numbers: readonly NumberRecord[];
  readonly subscriptions: readonly SubscriptionName[];
  readonly close: () => void;
  readonly done: (saved: { readonly webhook: ShownWebhook; readonly hmac_secret?: string }) => void;
}

/** Creates or changes a webhook. */
export function WebhookForm({ webhook, numbers, subscriptions, close, done }: WebhookFormProps) {
  const id = useId();
  const [number, setNumber] = useState(webhook?.number ?? numbers[0]?.uuid ?? '');
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(webhook?.subscriptions ?? subscriptions.slice(0, 1).map((one) => one.name));
  const settings = { url, ...(name !== '' && { name }), subscriptions: chosen };
  const action: Action = webhook
    ? { method: 'PATCH', path: `/webhooks/${webhook.uuid}`, payload: settings }
    : { method: 'POST', path: '/webhooks', payload: { number, ...settings } };
  return (
    <Sheet title={webhook ? texts.editWebhook : texts.newWebhook} look="drawer" close={close}>
      <ActForm<{ webhook: ShownWebhook; hmac_secret?: string }>
        label={webhook ? texts.editWebhook : texts.newWebhook}
        verb={webhook ? texts.save : texts.create}
        action={action}
        done={done}
      >
        {!webhook && (
          <div class="field">
            <label for={`${id}-number`}>{texts.number}</label>
            <select
              id={`${id}-number`}
              class="select"
              data-first
              value={number}
              onChange={({ currentTarget }) => setNumber(currentTarget.value)}
            >
              {numbers.map((one) => (
                <option key={one.uuid} value={one.uuid}>
                  {one.name} {one.address}
                </option>
              ))}
            </select>
          </div>
        )}
        <Field
          label={texts.url}
          type="url"
          value={url}
          set={setUrl}
          placeholder="http://localhost:3000/hook"
          note={texts.whatUrlReceives}
        />
        <Field label={texts.name} value={name} set={setName} required={false} placeholder={texts.webhook} />
        <fieldset class="field">
          <legend>{texts.subscriptions}</legend>
          {subscriptions.map((one) => (
            <label key={one.name} class="check subscription-choice">
              <input
                type="checkbox"
                checked={chosen.includes(one.name)}
                onChange={({ currentTarget }) =>
                  setChosen(currentTarget.checked ? [...chosen, one.name] : chosen.filter((other) => other !== one.name))
                }
              />
              <span>
                <span class="mono">{one.name}</span> <span class="quiet">{eventsOf[one.kind]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </ActForm>
    </Sheet>
  );
}
