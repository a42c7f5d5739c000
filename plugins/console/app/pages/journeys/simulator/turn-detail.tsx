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

const STATES = { waiting_for_input: 'waits for an answer', end: 'ended', expired: 'ended without an answer' } as const;

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
          {turn.failure ? 'failed' : STATES[turn.state]}
        </Status>
        <span>
          at <bdi>{turn.card || 'no card'}</bdi>
        </span>
        <span class="quiet">
          <Time at={turn.at} /> in the simulation · took {duration(turn.elapsed_ms)}
        </span>
        <button
          type="button"
          class="button outlined"
          {...controlOf(copied(simulator, parent, done), isBusy.value)}
          onClick={() => void play(simulator, parent, done)}
        >
          Play this turn again
        </button>
        <CopyAs action={{ method: 'POST', path: `/journeys/${simulator.journey}/simulated-turns`, payload }} />
      </div>
      <Changes changes={turn.changes} isStart={parent === undefined} />
      <TurnSection title="HTTP calls" count={turn.http_calls.length}>
        <HttpCalls simulator={simulator} calls={turn.http_calls} openMocks={openMocks} />
      </TurnSection>
      <TurnSection title="AI calls" count={turn.model_calls.length}>
        <ModelCalls
          calls={turn.model_calls}
          playWith={(replies) => void play(simulator, parent, { ...done, model_replies: replies })}
          isBusy={isBusy.value}
        />
      </TurnSection>
      <TurnSection title="Skill calls" count={turn.skill_calls.length}>
        <ul class="sim-calls">
          {turn.skill_calls.map((call, i) => (
            <li key={i}>
              <strong>
                <bdi>{call.name}</bdi>
              </strong>
              <JsonView label={`Arguments of ${call.name.slice(0, 60)}`} value={call.arguments} />
              <JsonView label={`Output of ${call.name.slice(0, 60)}`} value={call.output} />
            </li>
          ))}
        </ul>
      </TurnSection>
      <TurnSection title="Actions" count={turn.actions.length}>
        <ul class="links">
          {turn.actions.map((action, i) => (
            <li key={i}>
              <bdi>{action}</bdi>
            </li>
          ))}
        </ul>
      </TurnSection>
      <TurnSection title="Warnings" count={turn.warnings.length}>
        <ul class="links">
          {turn.warnings.map(({ block, expression, reason, line }, i) => (
            <li key={i} dir="auto">
              <code>{expression}</code> {reason} <span class="quiet">{line === undefined ? block : `line ${line}`}</span>
            </li>
          ))}
        </ul>
      </TurnSection>
      {turn.path.length > 0 && (
        <details class="sim-more">
          <summary>Path through {turn.path.length === 1 ? '1 block' : `${turn.path.length} blocks`}</summary>
          <ol class="quiet" dir="auto">
            {turn.path.map(({ card, exit }, i) => (
              <li key={i}>
                {card} → {exit}
              </li>
            ))}
          </ol>
          {turn.options.length > 0 && (
            <p class="quiet" dir="auto">
              Options: {turn.options.join(', ')}
            </p>
          )}
        </details>
      )}
      <details class="sim-more">
        <summary>Whole context</summary>
        <JsonView label="Context" value={turn.context} openDepth={1} />
      </details>
      <details class="sim-more">
        <summary>All {turn.events.length} events of the engine</summary>
        <JsonView label="Events" value={turn.events} openDepth={1} />
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

const SIGNS = { added: '+', changed: '~', removed: '−' } as const;
/** Longer values are cut; the whole context has them. */
const MAX_VALUE = 160;

function Changes({ changes, isStart }: { changes: readonly Change[]; isStart: boolean }) {
  if (isStart)
    return (
      <details class="sim-more">
        <summary>The context began with {changes.length} names</summary>
        <ChangeList changes={changes} />
      </details>
    );
  return (
    <section aria-label="Changes of the context">
      <h2>Context</h2>
      {changes.length === 0 ? <p class="quiet">Nothing changed.</p> : <ChangeList changes={changes} />}
    </section>
  );
}

const ChangeList = ({ changes }: { changes: readonly Change[] }) => (
  <ul class="sim-changes">
    {changes.map(({ path, change, before, after }) => (
      <li key={path.join('.')} class={change}>
        <span aria-hidden="true">{SIGNS[change]}</span>
        <span class="unseen">{change}</span> <bdi class="json-key">{path.join('.')}</bdi>{' '}
        {change !== 'added' && <del dir="auto">{short(before)}</del>} {change !== 'removed' && <ins dir="auto">{short(after)}</ins>}
      </li>
    ))}
  </ul>
);

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
