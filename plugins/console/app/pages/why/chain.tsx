import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ConfirmSheet } from '../../components/confirm.js';
import { type Action, CopyAs, CopyText, perform } from '../../components/copy.js';
import { Evidence } from '../../components/record-link.js';
import { Failure, Status, type Tone } from '../../components/status.js';
import { Time, WithTimes } from '../../components/time.js';
import { CallFailed } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { controlOf } from '../../data/operator.js';
import { actionOf, pageOf, verbOf } from './fix.js';
import type { Chain, Fix, Step } from './step.js';
import { texts } from './texts.js';

const looks: Readonly<Record<Step['state'], readonly [tone: Tone, word: string]>> = {
  ok: ['ok', texts.happened],
  waiting: ['warn', texts.pending],
  broken: ['bad', texts.didNotHappen],
  unknown: ['neutral', texts.unknown],
  skipped: ['neutral', texts.notNeeded],
};

/** Journeys of a number that did not start are one step each. */
const MAX_STEPS = 60;

/** The steps in order; the first broken one is marked. Those that happened are folded: they are not the cause. */
export function ChainSteps({ chain: { links } }: { chain: Chain }) {
  const [isWhole, setWhole] = useState(links.length <= MAX_STEPS);
  const shown = isWhole ? links : links.slice(0, MAX_STEPS);
  return (
    <>
      <ol class="chain" aria-label={texts.stepsFromTheCallTo}>
        {groupsOf(shown).map((steps) =>
          isFine(steps[0]!) ? (
            <li key={keyOf(steps[0]!, links)} class="step ok folded">
              <details>
                <summary>
                  <Status tone="ok">{steps.length === 1 ? texts.n1StepHappened : texts.stepsHappened(steps.length)}</Status>{' '}
                  <span class="quiet">{steps.map(({ name }) => name).join(', ')}</span>
                </summary>
                <ol>
                  {steps.map((step) => (
                    <OneStep key={keyOf(step, links)} step={step} />
                  ))}
                </ol>
              </details>
            </li>
          ) : (
            <OneStep key={keyOf(steps[0]!, links)} step={steps[0]!} />
          ),
        )}
      </ol>
      {!isWhole && (
        <button type="button" class="button plain" onClick={() => setWhole(true)}>
          {texts.showMoreSteps(links.length - MAX_STEPS)}
        </button>
      )}
    </>
  );
}

const isFine = ({ state, first }: Step): boolean => !first && (state === 'ok' || state === 'skipped');

const keyOf = (step: Step, all: readonly Step[]): string => `${all.indexOf(step)} ${step.name}`;

/** Neighbours that happened are one group; every other step is one of its own. */
function groupsOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const before = groups.at(-1);
    if (before && isFine(step) && isFine(before[0]!)) before.push(step);
    else groups.push([step]);
  }
  return groups;
}

const OneStep = ({ step }: { step: Step }) => (
  <li
    id={step.first ? 'first-step' : undefined}
    class={`step ${step.state}${step.first ? ' is-first' : ''}`}
    aria-current={step.first ? 'step' : undefined}
  >
    <div class="step-head">
      <h2>{titleOf(step.name)}</h2>
      <Status tone={looks[step.state][0]}>{looks[step.state][1]}</Status>
      {step.at !== null && (
        <span>
          {step.state === 'waiting' && `${texts.dueAt} `}
          <Time at={step.at} />
        </span>
      )}
    </div>
    {/* The verdict has that of the first. */}
    {!step.first && (
      <p dir="auto">
        <WithTimes text={step.summary} />
      </p>
    )}
    {step.fix && step.state === 'broken' && !step.first && (
      <p>
        <b>{texts.fix}</b>{' '}
        <span dir="auto">
          <WithTimes text={step.fix.action} />
        </span>
      </p>
    )}
    {Object.keys(step.evidence).length > 0 && (
      <details open={step.first}>
        <summary class="quiet">{texts.evidence}</summary>
        <Evidence values={step.evidence} />
      </details>
    )}
  </li>
);

const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Advice on the records of a step, which may be about something else than the step. */
export const AdviceOn = ({ advice }: { advice: NonNullable<Step['advice']> }) => (
  <div class="advice-on-step">
    <h3>{texts.advice}</h3>
    <ul>
      {advice.map(({ id, message, fix }) => (
        <li key={id} dir="auto">
          <Link href={`/advice/${encodeURIComponent(id)}`}>{message}</Link> {fix}
        </li>
      ))}
    </ul>
  </div>
);

/** A fix, as a button if it is a call. */
export function FixBox({ fix, fixed }: { fix: Fix; fixed: (fix: Fix) => void }) {
  const [failure, setFailure] = useState<CallFailed>();
  const [isCalling, setCalling] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const action = actionOf(fix);
  const page = pageOf(fix);
  const run = async (made: Action): Promise<void> => {
    setAsking(false);
    setCalling(true);
    setFailure(undefined);
    try {
      await perform(made);
      announce(texts.theFixWasMadeThe);
      fixed(fix);
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      setFailure(error);
    }
    setCalling(false);
  };
  return (
    <div class="fix">
      <p>
        <b>{texts.fix}</b>{' '}
        <span dir="auto">
          <WithTimes text={fix.action} />
        </span>
      </p>
      {(action ?? page ?? fix.command ?? fix.route) !== undefined && (
        <div class="buttons">
          {action && (
            <button
              type="button"
              class={action.method === 'DELETE' ? 'button bad' : 'button'}
              {...controlOf(action, isCalling)}
              onClick={() => (action.method === 'DELETE' ? setAsking(true) : void run(action))}
            >
              {verbOf(action)}
            </button>
          )}
          {action && <CopyAs action={{ ...action, ...(fix.command !== undefined && { command: fix.command }) }} />}
          {page && (
            <Link class="button outlined" href={page.path}>
              {page.label}
            </Link>
          )}
          {!action && fix.command !== undefined && <CopyText text={fix.command} label={texts.theCommand} />}
          {!action && !page && fix.route !== undefined && <CopyText text={fix.route} label={texts.theCall} />}
        </div>
      )}
      {action && (
        <details class="calls-of-fix">
          <summary class="quiet">{texts.commandLineAndApi}</summary>
          {fix.command !== undefined && <CopyText text={fix.command} label={texts.theCommand} />}
          <CopyText
            text={`${action.method} /admin/v1${action.path}${action.payload === undefined ? '' : ` ${JSON.stringify(action.payload)}`}`}
            label={texts.theCall}
          />
        </details>
      )}
      {isAsking && action && (
        <ConfirmSheet
          title={texts.askDelete(verbOf(action))}
          text={texts.cannotBeUndone}
          verb={verbOf(action)}
          go={() => void run(action)}
          close={() => setAsking(false)}
        />
      )}
      {failure && action && <Failure error={failure} retry={() => void run(action)} />}
    </div>
  );
}
