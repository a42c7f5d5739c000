import { Link } from 'wouter-preact';
import { ActButton } from '../../components/act.js';
import { lazyPart } from '../../components/lazy-part.js';
import { isFailing } from '../../components/outcome.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import type { Platform } from './platform.js';
import { texts } from './texts.js';

const FailureCause = lazyPart(() => import('../../components/failure-cause.js'));

const SHOWN = 3;

interface Advice {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly fix: string;
  readonly times: number;
}

interface Store {
  readonly state: string;
  readonly reason?: string;
  readonly damaged?: readonly { readonly file: string; readonly damage: string; readonly fix: string }[];
}

const isNotLoaded = ({ name }: Pick<Advice, 'name'>): boolean => name === 'source_not_loaded';

/** Shows problems before everything else: of the store, memory and endpoints, and advice. */
export function Problems({ numbers, channels, webhooks, outcomes }: Platform) {
  const store = useQuery<{ store: Store }>('/store', ['store.']).data?.store;
  const memory = useQuery<{ memory: { state: string; fix: string } }>('/memory', ['memory.']).data?.memory;
  const listed = useQuery<{ advice: readonly Advice[] }>('/advice', ['advice.', 'state.']).data?.advice ?? [];
  // A plugin or seed that does not load comes first: the user is editing it.
  const advice = [...listed].sort((a, b) => Number(isNotLoaded(b)) - Number(isNotLoaded(a)));
  const failing = webhooks.filter(({ uuid }) => outcomes.has(uuid) && isFailing(outcomes.get(uuid)!));
  const paused = webhooks.filter(({ paused_at }) => paused_at !== undefined);
  const connectors = new Set(channels.flatMap((channel) => channel.webhooks.map(({ uuid }) => uuid)));
  const nameOf = (uuid: string): string => numbers.find((number) => number.uuid === uuid)?.name ?? uuid;
  const isStoreOpen = store === undefined || store.state === 'open';
  const isMemoryFull = memory !== undefined && memory.state !== 'enough';
  const damaged = store?.damaged ?? [];
  const count =
    (damaged.length > 0 ? 1 : 0) + failing.length + paused.length + advice.length + (isStoreOpen ? 0 : 1) + (isMemoryFull ? 1 : 0);
  if (count === 0) return null;
  return (
    <section class="problems" aria-label={texts.problems}>
      {!isStoreOpen && (
        <div class="problem bad">
          <h2>{texts.storeAcceptsNoWrites}</h2>
          <p dir="auto">
            {store.reason ?? texts.storeState(store.state)} {texts.readsWork}
          </p>
          <ActButton action={{ method: 'POST', path: '/store/reopen' }} look="button outlined">
            {texts.openItAgain}
          </ActButton>
        </div>
      )}
      {damaged.length > 0 && (
        <div class="problem bad">
          <h2>{texts.filesAreDamaged(damaged.length)}</h2>
          {damaged.slice(0, SHOWN).map(({ file, damage }) => (
            <p key={file} dir="auto">
              <code>{file}</code>: {damage}
            </p>
          ))}
          {damaged.length > SHOWN && <p>{texts.andMore(damaged.length - SHOWN)}</p>}
          <p dir="auto">
            {texts.damagedDocumentsGet503} {damaged[0]!.fix.split('`').map((text, i) => (i % 2 === 1 ? <code key={i}>{text}</code> : text))}
          </p>
        </div>
      )}
      {isMemoryFull && (
        <div class="problem bad">
          <h2>{texts.memoryIs(memory.state)}</h2>
          <p dir="auto">{memory.fix}</p>
        </div>
      )}
      {failing.slice(0, SHOWN).map((webhook) => {
        const { delivery, attempt } = outcomes.get(webhook.uuid)!;
        return (
          <div key={webhook.uuid} class="problem bad">
            <h2>
              {connectors.has(webhook.uuid)
                ? texts.connectorFails(nameOf(webhook.number))
                : texts.webhookFails(webhook.name, nameOf(webhook.number))}
            </h2>
            <p dir="auto">
              {attempt ? <FailureCause delivery={delivery.uuid} attempt={attempt} /> : delivery.last_error}{' '}
              {delivery.due_at !== undefined && texts.nextAttemptAt(<Time at={delivery.due_at} />)}
            </p>
            <p class="buttons">
              <Link href={`/deliveries/${delivery.uuid}`}>{texts.showTheDelivery}</Link>
              <code>{webhook.url}</code>
            </p>
          </div>
        );
      })}
      {failing.length > SHOWN && (
        <p>
          <Link href="/webhooks">{texts.moreEndpointsFail(failing.length - SHOWN)}</Link>
        </p>
      )}
      {paused.map(({ uuid, name, number }) => (
        <div key={uuid} class="problem">
          <h2>{texts.webhookPaused(name, nameOf(number))}</h2>
          <p>{texts.deliveriesAreStored}</p>
          <ActButton action={{ method: 'POST', path: `/webhooks/${uuid}/resume` }} look="button outlined">
            {texts.resume}
          </ActButton>
        </div>
      ))}
      {advice.slice(0, SHOWN).map(({ id, name, message, fix, times }) => (
        <div key={id} class={isNotLoaded({ name }) ? 'problem bad' : 'problem'}>
          <h2 dir="auto">
            {message}
            {times > 1 && <small class="quiet"> {texts.times(times)}</small>}
          </h2>
          <p dir="auto">{fix}</p>
          <p>
            <Link href={`/advice/${id}`}>{texts.showTheAdvice}</Link>
          </p>
        </div>
      ))}
      {advice.length > SHOWN && (
        <p>
          <Link href="/advice">{texts.moreAdvice(advice.length - SHOWN)}</Link>
        </p>
      )}
    </section>
  );
}
