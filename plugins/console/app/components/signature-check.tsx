import { useEffect, useId, useState } from 'preact/hooks';
import type { SignatureStep } from '#core';
import type { SignatureExplanation } from '../../../webhooks/plugin.js';
import { CallFailed } from '../data/admin.js';
import { announce } from '../data/announce.js';
import { controlOf } from '../data/operator.js';
import { ActError } from './act.js';
import { fromHex, hexLines } from './bytes.js';
import { type Action, CopyAs, CopyText, perform } from './copy.js';
import { Scrolled } from './scrolled.js';
import { Snippet } from './snippet.js';
import { Loading, Status } from './status.js';
import { Tabs } from './tabs.js';

/** The signed bytes: the body of a delivery, or a given body. */
export interface Signed {
  readonly webhook?: string;
  readonly delivery?: string;
  readonly body?: string;
}

interface SignatureCheckProps {
  readonly signed: Signed;
  /** The signature that was sent; without it the steps show the expected one. */
  readonly sent?: string;
}

type Diagnosis = NonNullable<SignatureExplanation['diagnosis']>;

/** Any text: the right signature is in every response. */
const UNKNOWN_SIGNATURE = '-';

/** Explains a signature step by step, and finds the mistake in the value that a receiver computed. */
export function SignatureCheck({ signed, sent }: SignatureCheckProps) {
  const key = JSON.stringify([signed, sent]);
  const [shown, setShown] = useState<{ key: string; explanation?: SignatureExplanation; error?: string }>({ key: '' });
  useEffect(() => {
    let isCurrent = true;
    const set = (next: Omit<typeof shown, 'key'>): void => {
      if (isCurrent) setShown({ key, ...next });
    };
    explain(signed, sent ?? UNKNOWN_SIGNATURE).then(
      (explanation) => set({ explanation }),
      (error: unknown) => set({ error: error instanceof CallFailed ? error.message : String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  if (shown.key !== key) return <Loading />;
  if (shown.error !== undefined) return <ActError error={shown.error} />;
  const { steps, matches, diagnosis } = shown.explanation!;
  return (
    <div class="signature-check">
      <Compare key={key} signed={signed} />
      <section aria-label="How the signature is made">
        <h3>How the signature is made</h3>
        <ol class="steps">
          {steps
            .filter(({ step }) => step !== 'given')
            .map((step) => (
              <Step key={step.step} step={step} />
            ))}
          {sent !== undefined && (
            <li>
              <h4>Sent</h4>
              <p>
                <Status tone={matches ? 'ok' : 'bad'}>
                  {matches ? 'The request had this signature.' : 'The request had another signature:'}
                </Status>{' '}
                {!matches && <CopyText text={sent} label="the signature that was sent" />}
              </p>
              {!matches && (
                <p>{diagnosis?.message.replace(/^Your value is/, 'It is') ?? 'The body or the secret was another one when it was sent.'}</p>
              )}
            </li>
          )}
        </ol>
      </section>
    </div>
  );
}

const explain = (signed: Signed, signature: string): Promise<SignatureExplanation> =>
  perform<SignatureExplanation>(actionOf(signed, signature));

const actionOf = (signed: Signed, signature: string): Action => ({
  method: 'POST',
  path: '/signatures/explain',
  payload: { ...signed, signature },
  ...(signed.delivery !== undefined &&
    signed.body === undefined && {
      command: `posthorn verify --delivery ${signed.delivery} --signature '${signature}' --explain`,
    }),
});

const titles: Readonly<Record<SignatureStep['step'], string>> = {
  body: 'Body',
  key: 'Key',
  hmac: 'HMAC-SHA256',
  base64: 'Base64',
  header: 'Header',
  given: 'Given',
};

function Step({
  step: { step, about, value, bytes, start, start_hex: startHex, end_hex: endHex, ends_with: endsWith },
}: {
  step: SignatureStep;
}) {
  const [isHex, setHex] = useState(false);
  return (
    <li>
      <h4>{titles[step]}</h4>
      <p>{about[0]!.toUpperCase() + about.slice(1)}.</p>
      {step === 'key' && bytes !== undefined && (
        <p>
          {bytes} bytes{endsWith === undefined ? '' : `, ending in ${endsWith}`}. The secret itself is never shown again.
        </p>
      )}
      {value !== undefined && (
        <CopyText text={value} label={step === 'body' ? 'the SHA-256 of the body' : `the value of step ${titles[step]}`} />
      )}
      {startHex !== undefined && startHex !== '' && (
        <div class="bytes">
          <div class="bytes-head">
            <span class="quiet">{endHex === undefined ? 'All bytes' : 'The first 256 bytes'}</span>
            <button type="button" class="button plain" aria-pressed={isHex} onClick={() => setHex(!isHex)}>
              Hex
            </button>
          </div>
          <Scrolled look={isHex ? 'hex' : 'raw'} label="Beginning of the body">
            {isHex ? hexLines(fromHex(startHex)) : start}
            {isHex && endHex !== undefined ? `\n…\n${hexLines(fromHex(endHex))}` : ''}
          </Scrolled>
        </div>
      )}
    </li>
  );
}

function Compare({ signed }: { signed: Signed }) {
  const id = useId();
  const [value, setValue] = useState('');
  const [answer, setAnswer] = useState<{ value: string; explanation?: SignatureExplanation; error?: string } | undefined>(undefined);
  const compare = (): void => {
    explain(signed, value.trim()).then(
      (explanation) => {
        setAnswer({ value, explanation });
        announce(explanation.matches ? 'Your value is right' : (explanation.diagnosis?.message ?? 'No known mistake gives this value'));
      },
      (error: unknown) => setAnswer({ value, error: error instanceof CallFailed ? error.message : String(error) }),
    );
  };
  return (
    <section class="compare" aria-label="Find the mistake">
      <h3>Find the mistake</h3>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          compare();
        }}
      >
        <div class="field">
          <label for={id}>The value that your server computed</label>
          <input
            id={id}
            class="input mono"
            value={value}
            required
            autocomplete="off"
            spellcheck={false}
            placeholder="Paste the value, for example from a log line"
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
          <small>In any form: base64, hex, with or without the name of the header. The secret is not needed.</small>
        </div>
        <div class="buttons">
          <button type="submit" class="button" {...controlOf(actionOf(signed, value.trim()))}>
            Find the mistake
          </button>
          <CopyAs action={actionOf(signed, value.trim())} />
        </div>
      </form>
      {answer?.error !== undefined && <ActError error={answer.error} />}
      {answer?.explanation && <Result explanation={answer.explanation} />}
    </section>
  );
}

function Result({ explanation: { matches, diagnosis } }: { explanation: SignatureExplanation }) {
  if (matches) {
    return (
      <div class="callout ok">
        <p>
          <strong>✓ Your value is right.</strong> If your server still refuses the call, it compares with something else: read the signature
          header of the request, trim nothing, and compare the two texts in constant time.
        </p>
      </div>
    );
  }
  if (!diagnosis) {
    return (
      <div class="callout bad">
        <p>
          <strong>✗ No known mistake gives this value.</strong> Compare the bytes first: log the length and the SHA-256 of the body that
          your server signs, and compare them with step 1. If they are equal, the secret is another one: a sandbox prints it with{' '}
          <code>posthorn status</code>; elsewhere, rotate it and copy it again.
        </p>
      </div>
    );
  }
  return (
    <div class="diagnosis">
      <div class="callout bad">
        <p>
          <strong>✗ {diagnosis.message}</strong>
        </p>
        <p>{diagnosis.fix}</p>
      </div>
      <Fixes fixes={diagnosis.fixes} />
    </div>
  );
}

const FRAMEWORK_KEY = 'posthorn-console-framework';

function Fixes({ fixes }: { fixes: Diagnosis['fixes'] }) {
  const [framework, setFramework] = useState(() => stored() ?? fixes[0]?.framework ?? '');
  return (
    <Tabs
      label="Frameworks"
      current={framework}
      select={(id) => {
        setFramework(id);
        store(id);
      }}
      tabs={fixes.map(({ framework: id, title, changes, code }) => ({
        id,
        label: title,
        content: () => (
          <div class="fix">
            {changes.map(({ mistake, wrong, right }) => (
              <pre key={`${mistake} ${right}`} class="diff-lines">
                {wrong !== '' && <del>{prefixed('- ', wrong)}</del>}
                <ins>{prefixed('+ ', right)}</ins>
              </pre>
            ))}
            <h4>A complete receiver for {title}</h4>
            <Snippet text={code} label={`the receiver for ${title}`} />
          </div>
        ),
      }))}
    />
  );
}

const prefixed = (sign: string, lines: string): string => `${lines.replace(/^/gm, sign)}\n`;

/** The framework that the user chose last; undefined without storage. */
function stored(): string | undefined {
  try {
    return localStorage.getItem(FRAMEWORK_KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function store(framework: string): void {
  try {
    localStorage.setItem(FRAMEWORK_KEY, framework);
  } catch {
    // The choice lasts until the page is closed.
  }
}
