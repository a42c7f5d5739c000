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
        <h2 id="steps">Next steps</h2>
        <span class="quiet" role="status">
          {done} of {steps.length} done
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
                <span class="unseen">{isDone ? ', done' : ', not done'}</span>
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
      title: 'Create a number',
      isDone: progress.hasNumber,
      content: progress.hasNumber ? (
        <p>
          <Link href="/numbers">{numbers.length === 1 ? '1 number' : `${numbers.length} numbers`}</Link>
        </p>
      ) : (
        <NumberForm done={reload} taken={numbers} />
      ),
    },
    {
      id: 'channel',
      title: 'Create a channel for your connector',
      isDone: progress.hasChannel && created === undefined,
      content: created ? (
        <>
          <ShownOnce text={created.webhook.hmac_secret} what="secret">
            <p class="quiet">Your connector verifies signatures with it.</p>
          </ShownOnce>
          <div class="buttons">
            <Link class="button" href={`/channels/${created.number.uuid}?tab=starter`}>
              Get a starter connector
            </Link>
          </div>
        </>
      ) : progress.hasChannel ? (
        <p>
          <Link href="/channels">{channels.length === 1 ? '1 channel' : `${channels.length} channels`}</Link>
        </p>
      ) : (
        <ChannelForm done={setCreated} />
      ),
    },
    {
      id: 'connector',
      title: 'Let the connector answer',
      isDone: progress.connectorAnswered,
      content: channel ? <ConnectorStep platform={platform} /> : <p>First create a channel.</p>,
    },
    {
      id: 'contact',
      title: 'Let a contact write',
      isDone: progress.conversation !== undefined,
      content: hi ? (
        <>
          <p>
            Sends “hi” from {CONTACT}, as a phone on the network would. The <Link href="/inbox">Inbox</Link> has the whole phone.
          </p>
          <ActButton action={hi} announcement="The contact wrote">
            Say hi
          </ActButton>
        </>
      ) : (
        <p>
          Your connector posts what contacts write to <code>/v1/numbers/{channel?.number.uuid ?? '{uuid}'}/messages</code>. With a number of
          the network, this page can write as a contact.
        </p>
      ),
    },
    {
      id: 'reply',
      title: 'Let a reply be delivered',
      isDone: progress.replyDelivered,
      content: progress.conversation === undefined ? <p>First let a contact write.</p> : <ReplyForm conversation={progress.conversation} />,
    },
  ];
}

function ConnectorStep({ platform: { channels, outcomes } }: { platform: Platform }) {
  const channel = channels[0]!;
  const outcome = channel.webhooks[0] && outcomes.get(channel.webhooks[0].uuid);
  return (
    <>
      <p>
        Sends a sample to <code>{channel.webhooks[0]?.url}</code>. The connector must respond with its id of the message. There is a{' '}
        <Link href={`/channels/${channel.number.uuid}?tab=starter`}>starter connector</Link> in three languages.
      </p>
      <ActButton
        action={{ method: 'POST', path: `/channels/${channel.number.uuid}/samples`, payload: { turn: 'text' } }}
        announcement="The sample was sent"
      >
        Send a sample
      </ActButton>
      {outcome?.attempt && isFailing(outcome) && (
        <p class="callout bad" dir="auto">
          <FailureCause delivery={outcome.delivery.uuid} attempt={outcome.attempt} />{' '}
          <Link href={`/deliveries/${outcome.delivery.uuid}`}>Show the delivery</Link>
        </p>
      )}
    </>
  );
}

function ReplyForm({ conversation }: { conversation: string }) {
  const [text, setText] = useState('Hello, how can we help?');
  return (
    <>
      <p>
        Sends a message as an operator; a published journey does so by itself. The step is done when the status <em>delivered</em> arrives.
      </p>
      <ActForm
        label="Reply"
        verb="Send the reply"
        action={{
          method: 'POST',
          path: `/conversations/${conversation}/messages`,
          payload: { operator: { id: 'console', name: 'Console' }, type: 'text', text: { body: text } },
        }}
        done={() => undefined}
      >
        <Field label="Text" value={text} set={setText} />
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
      title: 'Say hi',
      isDone: progress.conversation !== undefined,
      content: (
        <>
          <p>
            Sends “hi” from {CONTACT} to the number of the demo, whose journey answers. In the <Link href="/inbox">Inbox</Link> you can be
            any contact.
          </p>
          {hi && (
            <ActButton action={hi} announcement="The contact wrote">
              Say hi
            </ActButton>
          )}
          {progress.conversation !== undefined && (
            <p>
              <Link href={`/inbox/${progress.conversation}`}>Show the conversation</Link>
            </p>
          )}
        </>
      ),
    },
    {
      id: 'look',
      title: 'Look at the delivery',
      isDone: hasLooked,
      content: newest ? (
        <>
          <p>The page of a delivery has the exact bytes of the request and the response, the signature, and every retry.</p>
          <div class="buttons">
            <Link class="button" href={`/deliveries/${newest.delivery.uuid}`} onClick={look}>
              Look at the newest delivery
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
        <p>There is no delivery yet: say hi first.</p>
      ),
    },
    {
      id: 'own',
      title: 'Make your own connector',
      isDone: platform.channels.length > 1,
      content: (
        <>
          <p>
            A connector is a program of 40 lines that joins another messaging service. Create a channel for it
            {channel && (
              <>
                , or look at <Link href={`/channels/${channel.number.uuid}`}>that of the demo</Link>
              </>
            )}
            .
          </p>
          <div class="buttons">
            <Link class="button" href="/channels/new">
              Create a channel
            </Link>
            <CopyAs
              action={{
                method: 'POST',
                path: '/channels',
                payload: { from_addr: 'web:chat', name: 'Web chat', endpoint: 'http://127.0.0.1:3000/' },
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
