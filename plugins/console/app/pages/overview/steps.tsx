import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ActButton, ActForm, Field } from '../../components/act.js';
import { type Action, CopyAs } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { isFailing } from '../../components/outcome.js';
import { ShownOnce } from '../../components/snippet.js';
import { ChannelForm, type CreatedChannel } from '../channels/channel-form.js';
import { NumberForm } from '../numbers/number-form.js';
import type { Platform } from './platform.js';
import { type Progress, useProgress } from './progress.js';
import { texts } from './texts.js';

const FailureCause = lazyPart(() => import('../../components/failure-cause.js'));

/** The account of the numbers of the demo seed. */
const DEMO_ACCOUNT = 'demo-account';
const LOOKED_KEY = 'posthorn-console-looked';
const CONTACT = '+27820001001';

interface Step {
  readonly id: string;
  readonly title: string;
  readonly isDone: boolean;
  readonly content: ComponentChildren;
}

/** The next steps of the user; each ticks off when the platform shows that it was done. */
export function Steps({ reload, ...platform }: Platform & { reload: () => void }) {
  const progress = useProgress(platform);
  const created = useSignal<CreatedChannel | undefined>(undefined);
  const isDemo = platform.numbers.some(({ account }) => account === DEMO_ACCOUNT);
  const looked = useSignal(hasLooked());
  const steps = isDemo
    ? demoSteps(platform, progress, {
        hasLooked: looked.value,
        look: () => {
          looked.value = true;
          rememberLook();
        },
      })
    : setUpSteps(platform, progress, {
        reload,
        created: created.value,
        setCreated: (made) => {
          created.value = made;
          reload();
        },
      });
  const done = steps.filter(({ isDone }) => isDone).length;
  const [chosen, choose] = useState<string | undefined>(undefined);
  const next = steps.find(({ isDone }) => !isDone);
  const open = chosen ?? next?.id;
  if (done === steps.length && chosen === undefined) return null;
  return (
    <section class="card steps" aria-labelledby="steps">
      <div class="head">
        <h2 id="steps">{texts.nextSteps}</h2>
        <span class="quiet" role="status">
          {texts.stepsDone(done, steps.length)}
        </span>
      </div>
      <ol>
        {steps.map(({ id, title, isDone, content }, n) => (
          <li key={id} class={isDone ? 'step is-done' : 'step'}>
            <button type="button" class="step-head" aria-expanded={open === id} onClick={() => choose(open === id ? '' : id)}>
              <span class="step-mark" aria-hidden="true">
                {isDone ? <Draw name="check" /> : n + 1}
              </span>
              <span>
                {title}
                <span class="unseen">{isDone ? texts.isDone : texts.isNotDone}</span>
              </span>
            </button>
            {open === id && <div class="step-content">{content}</div>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function sayHi(platform: Platform): Action | undefined {
  const number = platform.numbers.find(({ kind }) => kind !== 'channel');
  if (!number) return undefined;
  const payload = { from: CONTACT, name: 'Ann', type: 'text', text: { body: 'hi' } };
  return {
    method: 'POST',
    path: `/network/numbers/${number.uuid}/messages`,
    payload,
    command: `posthorn send hi --from ${CONTACT} --number ${number.address}`,
  };
}

function setUpSteps(
  platform: Platform,
  progress: Progress,
  { reload, created, setCreated }: { reload: () => void; created: CreatedChannel | undefined; setCreated: (made: CreatedChannel) => void },
): Step[] {
  const { numbers, channels } = platform;
  const channel = channels[0];
  const hi = sayHi(platform);
  return [
    {
      id: 'number',
      title: texts.createANumber,
      isDone: progress.hasNumber,
      content: progress.hasNumber ? (
        <p>
          <Link href="/numbers">{texts.numbers(numbers.length)}</Link>
        </p>
      ) : (
        <NumberForm done={reload} taken={numbers} />
      ),
    },
    {
      id: 'channel',
      title: texts.createChannelForConnector,
      isDone: progress.hasChannel && created === undefined,
      content: created ? (
        <>
          <ShownOnce text={created.webhook.hmac_secret} what={texts.secret}>
            <p class="quiet">{texts.connectorVerifies}</p>
          </ShownOnce>
          <div class="buttons">
            <Link class="button" href={`/channels/${created.number.uuid}?tab=starter`}>
              {texts.getAStarterConnector}
            </Link>
          </div>
        </>
      ) : progress.hasChannel ? (
        <p>
          <Link href="/channels">{texts.channels(channels.length)}</Link>
        </p>
      ) : (
        <ChannelForm done={setCreated} />
      ),
    },
    {
      id: 'connector',
      title: texts.letConnectorAnswer,
      isDone: progress.connectorAnswered,
      content: channel ? <ConnectorStep platform={platform} /> : <p>{texts.firstCreateChannel}</p>,
    },
    {
      id: 'contact',
      title: texts.letContactWrite,
      isDone: progress.conversation !== undefined,
      content: hi ? (
        <>
          <p>{texts.sendsHiToNetwork(CONTACT, <Link href="/inbox">{texts.inbox}</Link>)}</p>
          <ActButton action={hi} announcement={texts.contactWrote}>
            {texts.sayHi}
          </ActButton>
        </>
      ) : (
        <p>{texts.connectorPosts(channel?.number.uuid ?? '{uuid}')}</p>
      ),
    },
    {
      id: 'reply',
      title: texts.letReplyBeDelivered,
      isDone: progress.replyDelivered,
      content:
        progress.conversation === undefined ? <p>{texts.firstLetContactWrite}</p> : <ReplyForm conversation={progress.conversation} />,
    },
  ];
}

function ConnectorStep({ platform: { channels, outcomes } }: { platform: Platform }) {
  const channel = channels[0]!;
  const outcome = channel.webhooks[0] && outcomes.get(channel.webhooks[0].uuid);
  return (
    <>
      <p>
        {texts.sendsSample(
          channel.webhooks[0]?.url,
          <Link href={`/channels/${channel.number.uuid}?tab=starter`}>{texts.starterConnector}</Link>,
        )}
      </p>
      <ActButton
        action={{ method: 'POST', path: `/channels/${channel.number.uuid}/samples`, payload: { turn: 'text' } }}
        announcement={texts.sampleSent}
      >
        {texts.sendASample}
      </ActButton>
      {outcome?.attempt && isFailing(outcome) && (
        <p class="callout bad" dir="auto">
          <FailureCause delivery={outcome.delivery.uuid} attempt={outcome.attempt} />{' '}
          <Link href={`/deliveries/${outcome.delivery.uuid}`}>{texts.showTheDelivery}</Link>
        </p>
      )}
    </>
  );
}

function ReplyForm({ conversation }: { conversation: string }) {
  const [text, setText] = useState(texts.sampleReply);
  return (
    <>
      <p>{texts.sendsReply()}</p>
      <ActForm
        label={texts.reply}
        verb={texts.sendTheReply}
        action={{
          method: 'POST',
          path: `/conversations/${conversation}/messages`,
          payload: { operator: { id: 'console', name: 'Console' }, type: 'text', text: { body: text } },
        }}
        done={() => undefined}
      >
        <Field label={texts.text} value={text} set={setText} />
      </ActForm>
    </>
  );
}

function demoSteps(platform: Platform, progress: Progress, { hasLooked, look }: { hasLooked: boolean; look: () => void }): Step[] {
  const hi = sayHi(platform);
  const [newest] = [...platform.outcomes.values()].sort((a, b) => (a.delivery.created_at < b.delivery.created_at ? 1 : -1));
  const channel = platform.channels[0];
  return [
    {
      id: 'hi',
      title: texts.sayHi,
      isDone: progress.conversation !== undefined,
      content: (
        <>
          <p>{texts.sendsHiToDemo(CONTACT, <Link href="/inbox">{texts.inbox}</Link>)}</p>
          {hi && (
            <ActButton action={hi} announcement={texts.contactWrote}>
              {texts.sayHi}
            </ActButton>
          )}
          {progress.conversation !== undefined && (
            <p>
              <Link href={`/inbox/${progress.conversation}`}>{texts.showTheConversation}</Link>
            </p>
          )}
        </>
      ),
    },
    {
      id: 'look',
      title: texts.lookAtDelivery,
      isDone: hasLooked,
      content: newest ? (
        <>
          <p>{texts.pageOfDelivery}</p>
          <div class="buttons">
            <Link class="button" href={`/deliveries/${newest.delivery.uuid}`} onClick={look}>
              {texts.lookAtNewestDelivery}
            </Link>
            <CopyAs
              action={{
                method: 'GET',
                path: `/deliveries/${newest.delivery.uuid}`,
                command: `posthorn deliveries show ${newest.delivery.uuid}`,
              }}
            />
          </div>
        </>
      ) : (
        <p>{texts.noDelivery}</p>
      ),
    },
    {
      id: 'own',
      title: texts.makeOwnConnector,
      isDone: platform.channels.length > 1,
      content: (
        <>
          <p>
            {channel
              ? texts.ownConnectorOrDemo(<Link href={`/channels/${channel.number.uuid}`}>{texts.thatOfTheDemo}</Link>)
              : texts.ownConnector}
          </p>
          <div class="buttons">
            <Link class="button" href="/channels/new">
              {texts.createChannel}
            </Link>
            <CopyAs
              action={{
                method: 'POST',
                path: '/channels',
                payload: { from_addr: 'web:chat', name: texts.webChat, endpoint: 'http://127.0.0.1:3000/' },
              }}
            />
          </div>
        </>
      ),
    },
  ];
}

function hasLooked(): boolean {
  try {
    return sessionStorage.getItem(LOOKED_KEY) !== null;
  } catch {
    return false;
  }
}

function rememberLook(): void {
  try {
    sessionStorage.setItem(LOOKED_KEY, '1');
  } catch {
    // Without storage the step is done until the page is loaded again.
  }
}
