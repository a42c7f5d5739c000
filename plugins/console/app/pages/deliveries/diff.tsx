import { diffLines } from 'diff';
import { useId, useMemo, useState } from 'preact/hooks';
import { outcomeText } from '../../../../../core/events/outcome-text.js';
import { number } from '../../../../../core/web/language.js';
import { Scrolled } from '../../components/scrolled.js';
import { Empty } from '../../components/status.js';
import { texts } from './diff-texts.js';
import type { AttemptRecord, DeliveryDetail } from './records.js';
import { nameOfAttempt } from './timeline.js';

interface DiffProps {
  readonly attempts: readonly AttemptRecord[];
  readonly details: readonly DeliveryDetail[];
}

/** A comparison stops after this time, in which the page does not respond: bodies without common lines take long. */
const LIMIT_MS = 200;
/** More equal lines in a row are folded. */
const CONTEXT = 3;
/** A longer run of added or removed lines shows its first lines only. */
const MAX_CHANGED = 500;

/** Compares two attempts: their requests and responses, header by header, and JSON bodies field by field. */
export default function Diff({ attempts, details }: DiffProps) {
  const id = useId();
  const compared = attempts.flatMap((attempt) => {
    const detail = details.find((one) => one.attempt === attempt.uuid);
    return detail ? [{ attempt, detail }] : [];
  });
  const [chosen, choose] = useState<readonly [string | undefined, string | undefined]>([undefined, undefined]);
  const at = (uuid: string | undefined, fallback: number) => compared.find(({ attempt }) => attempt.uuid === uuid) ?? compared.at(fallback);
  const [before, after] = [at(chosen[0], -2), at(chosen[1], -1)];
  if (compared.length < 2 || !before || !after) {
    return (
      <Empty title={texts.nothingToCompare}>
        <p>{texts.twoAreNeeded}</p>
      </Empty>
    );
  }
  const select = (name: string, label: string, value: string, set: (uuid: string) => void) => (
    <div class="attempt-choice">
      <label for={`${id}-${name}`}>{label}</label>
      <select id={`${id}-${name}`} class="select" value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {compared.map(({ attempt }) => (
          <option key={attempt.uuid} value={attempt.uuid}>
            {nameOfAttempt(attempt, attempts)}: {outcomeText(attempt)}
          </option>
        ))}
      </select>
    </div>
  );
  return (
    <div class="diff">
      <div class="diff-head">
        {select('before', texts.from, before.attempt.uuid, (uuid) => choose([uuid, after.attempt.uuid]))}
        {select('after', texts.to, after.attempt.uuid, (uuid) => choose([before.attempt.uuid, uuid]))}
      </div>
      <Section
        title={texts.request}
        label={texts.differencesOfRequests}
        before={requestText(before.detail)}
        after={requestText(after.detail)}
      />
      <Section
        title={texts.response}
        label={texts.differencesOfResponses}
        before={responseText(before.attempt, before.detail)}
        after={responseText(after.attempt, after.detail)}
      />
      <p class="quiet">{texts.bodiesAreIndented}</p>
    </div>
  );
}

function Section({ title, label, before, after }: { title: string; label: string; before: string; after: string }) {
  const parts = useMemo(() => diffLines(before, after, { timeout: LIMIT_MS }), [before, after]);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {parts === undefined ? (
        <p class="callout">{texts.tooDifferent}</p>
      ) : parts.length === 1 && !parts[0]!.added && !parts[0]!.removed ? (
        <p class="quiet">{texts.noDifference}</p>
      ) : (
        <Scrolled look="diff-lines" label={label}>
          {parts.flatMap(({ value, added, removed }, at) => {
            const lines = value.replace(/\n$/, '').split('\n');
            if (added || removed) return <Changed key={at} lines={lines} kind={added ? 'ins' : 'del'} />;
            return folded(lines).map((line, n) => <Line key={`${at}.${n}`} line={line} kind="same" />);
          })}
        </Scrolled>
      )}
    </section>
  );
}

function Changed({ lines, kind }: { lines: readonly string[]; kind: 'ins' | 'del' }) {
  const more = lines.length - MAX_CHANGED;
  return (
    <>
      {lines.slice(0, MAX_CHANGED).map((line, at) => (
        <Line key={at} line={line} kind={kind} />
      ))}
      {more > 0 && <span>{`  … ${(kind === 'ins' ? texts.moreAdded : texts.moreRemoved)(number(more))}\n`}</span>}
    </>
  );
}

function Line({ line, kind }: { line: string; kind: 'ins' | 'del' | 'same' }) {
  if (kind === 'same') return <span>{`  ${line}\n`}</span>;
  const Tag = kind;
  return <Tag>{`${kind === 'ins' ? '+' : '-'} ${line}\n`}</Tag>;
}

function folded(lines: readonly string[]): string[] {
  if (lines.length <= 2 * CONTEXT + 1) return [...lines];
  return [...lines.slice(0, CONTEXT), `… ${texts.equalLines(lines.length - 2 * CONTEXT)}`, ...lines.slice(-CONTEXT)];
}

const requestText = ({ url, request }: DeliveryDetail): string => text(`POST ${url}`, request.headers, request.body.content);

const responseText = (attempt: AttemptRecord, { response }: DeliveryDetail): string =>
  response
    ? text(`HTTP/1.1 ${response.status}`, response.headers, response.body.content)
    : `${texts.noResponse(String(attempt.error ?? attempt.error_code))}\n`;

const text = (first: string, headers: readonly (readonly string[])[], body: string): string =>
  `${first}\n${headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${indented(body)}\n`;

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
