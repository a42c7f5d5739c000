import type { ComponentChildren } from 'preact';
import { CopyAs } from '../../../components/copy.js';
import { JsonView } from '../../../components/json-view.js';
import { Status } from '../../../components/status.js';
import { duration, Time } from '../../../components/time.js';
import { controlOf } from '../../../data/operator.js';
import { HttpCalls } from './http-calls.js';
import { ModelCalls } from './model-calls.js';
import type { Change } from './records.js';
import { copied, type Played, play, type Simulator } from './simulation.js';
import { texts } from './texts.js';

const STATES = { waiting_for_input: texts.waits, end: texts.ended, expired: texts.endedWithoutAnswer } as const;

interface Props {
  readonly simulator: Simulator;
  readonly played: Played;
  readonly openMocks: () => void;
}

/** The effects of a turn: its changes of the context, and its calls. */
export function TurnDetail({ simulator, played, openMocks }: Props) {
  const { turn, done, payload, parent } = played;
  const { isBusy } = simulator;
  return (
    <div class="sim-detail">
      <div class="buttons">
        <Status tone={turn.failure ? 'bad' : turn.state === 'waiting_for_input' ? 'ok' : 'neutral'}>
          {turn.failure ? texts.failed : STATES[turn.state]}
        </Status>
        <span>{texts.atCard(turn.card || texts.noCard)}</span>
        <span class="quiet">{texts.timeAndDuration(<Time at={turn.at} />, duration(turn.elapsed_ms))}</span>
        <button
          type="button"
          class="button outlined"
          {...controlOf(copied(simulator, parent, done), isBusy.value)}
          onClick={() => void play(simulator, parent, done)}
        >
          {texts.playAgain}
        </button>
        <CopyAs action={{ method: 'POST', path: `/journeys/${simulator.journey}/simulated-turns`, payload }} />
      </div>
      <Changes changes={turn.changes} isStart={parent === undefined} />
      <TurnSection title={texts.httpCalls} count={turn.http_calls.length}>
        <HttpCalls simulator={simulator} calls={turn.http_calls} openMocks={openMocks} />
      </TurnSection>
      <TurnSection title={texts.aiCalls} count={turn.model_calls.length}>
        <ModelCalls
          calls={turn.model_calls}
          playWith={(replies) => void play(simulator, parent, { ...done, model_replies: replies })}
          isBusy={isBusy.value}
        />
      </TurnSection>
      <TurnSection title={texts.skillCalls} count={turn.skill_calls.length}>
        <ul class="sim-calls">
          {turn.skill_calls.map((call, i) => (
            <li key={i}>
              <strong>
                <bdi>{call.name}</bdi>
              </strong>
              <JsonView label={texts.argumentsOf(call.name.slice(0, 60))} value={call.arguments} />
              <JsonView label={texts.outputOf(call.name.slice(0, 60))} value={call.output} />
            </li>
          ))}
        </ul>
      </TurnSection>
      <TurnSection title={texts.actions} count={turn.actions.length}>
        <ul class="links">
          {turn.actions.map((action, i) => (
            <li key={i}>
              <bdi>{action}</bdi>
            </li>
          ))}
        </ul>
      </TurnSection>
      <TurnSection title={texts.warnings} count={turn.warnings.length}>
        <ul class="links">
          {turn.warnings.map(({ block, expression, reason, line }, i) => (
            <li key={i} dir="auto">
              <code>{expression}</code> {reason} <span class="quiet">{line === undefined ? block : texts.atLine(line)}</span>
            </li>
          ))}
        </ul>
      </TurnSection>
      {turn.path.length > 0 && (
        <details class="sim-more">
          <summary>{texts.pathThrough(turn.path.length)}</summary>
          <ol class="quiet" dir="auto">
            {turn.path.map(({ card, exit }, i) => (
              <li key={i}>
                {card} → {exit}
              </li>
            ))}
          </ol>
          {turn.options.length > 0 && (
            <p class="quiet" dir="auto">
              {texts.options(turn.options.join(', '))}
            </p>
          )}
        </details>
      )}
      <details class="sim-more">
        <summary>{texts.wholeContext}</summary>
        <JsonView label={texts.context} value={turn.context} openDepth={1} />
      </details>
      <details class="sim-more">
        <summary>{texts.allEvents(turn.events.length)}</summary>
        <JsonView label={texts.events} value={turn.events} openDepth={1} />
      </details>
    </div>
  );
}

const TurnSection = ({ title, count, children }: { title: string; count: number; children: ComponentChildren }) =>
  count === 0 ? null : (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );

/** Longer values are cut; the whole context has them. */
const MAX_VALUE = 160;

function Changes({ changes, isStart }: { changes: readonly Change[]; isStart: boolean }) {
  if (isStart)
    return (
      <details class="sim-more">
        <summary>{texts.contextBegan(changes.length)}</summary>
        <ChangeList changes={changes} />
      </details>
    );
  return (
    <section aria-label={texts.contextChanges}>
      <h2>{texts.context}</h2>
      {changes.length === 0 ? <p class="quiet">{texts.nothingChanged}</p> : <ChangeList changes={changes.filter(isOfAuthor)} readable />}
      {changes.length > 0 && (
        <details class="sim-more">
          <summary>{texts.asKept}</summary>
          <ChangeList changes={changes} />
        </details>
      )}
    </section>
  );
}

const ANSWER = 'event.message.text.body';
/** Names that the engine keeps for itself are folded. */
const isOfAuthor = ({ path }: Change): boolean => path.join('.') === ANSWER || !['block', 'event', 'results'].includes(path[0]!);

const ChangeList = ({ changes, readable = false }: { changes: readonly Change[]; readable?: boolean }) => (
  <ul class="sim-changes">
    {changes.map(({ path, change, before, after }) => (
      <li key={path.join('.')} class={change}>
        <span class="quiet">{texts[change]}</span>{' '}
        <bdi class="json-key">{readable && path.join('.') === ANSWER ? texts.answer : path.join('.')}</bdi>{' '}
        {change !== 'added' && <del dir="auto">{short(before, readable)}</del>}{' '}
        {change !== 'removed' && <ins dir="auto">{short(after, readable)}</ins>}
      </li>
    ))}
  </ul>
);

function short(value: unknown, readable: boolean): string {
  const { label, __value__ = value } = (readable && typeof value === 'object' && value) as { label?: unknown; __value__?: unknown };
  const shown = readable ? (label ?? __value__) : value;
  const text = readable && typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? '');
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
