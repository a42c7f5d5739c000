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
import { texts } from './signature-texts.js';
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
      <section aria-label={texts.howTheSignatureIsMade}>
        <h3>{texts.howTheSignatureIsMade}</h3>
        <ol class="steps">
          {steps
            .filter(({ step }) => step !== 'given')
            .map((step) => (
              <Step key={step.step} step={step} />
            ))}
          {sent !== undefined && (
            <li>
              <h4>{texts.sent}</h4>
              <p>
                <Status tone={matches ? 'ok' : 'bad'}>{matches ? texts.theRequestHadThisSignature : texts.theRequestHadAnother}</Status>{' '}
                {!matches && <CopyText text={sent} label={texts.theSignatureThatWasSent} />}
              </p>
              {!matches && <p>{diagnosis?.message.replace(/^Your value/, 'It') ?? texts.theBodyOrTheSecret}</p>}
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
  body: texts.body,
  key: 'Key',
  hmac: 'HMAC-SHA256',
  base64: 'Base64',
  header: texts.header,
  given: texts.given,
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
      {step === 'key' && bytes !== undefined && <p>{texts.bytesEndingInTheSecret(bytes, endsWith)}</p>}
      {value !== undefined && <CopyText text={value} label={step === 'body' ? texts.theSha256OfThe : texts.theValueOfStep(titles[step])} />}
      {startHex !== undefined && startHex !== '' && (
        <div class="bytes">
          <div class="bytes-head">
            <span class="quiet">{endHex === undefined ? texts.allBytes : texts.theFirst256Bytes}</span>
            <button type="button" class="button plain" aria-pressed={isHex} onClick={() => setHex(!isHex)}>
              {texts.hex}
            </button>
          </div>
          <Scrolled look={isHex ? 'hex' : 'raw'} label={texts.beginningOfTheBody}>
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
        announce(explanation.matches ? texts.yourValueIsRight : (explanation.diagnosis?.message ?? texts.noKnownMistakeGivesThis));
      },
      (error: unknown) => setAnswer({ value, error: error instanceof CallFailed ? error.message : String(error) }),
    );
  };
  return (
    <section class="compare" aria-label={texts.findTheMistake}>
      <h3>{texts.findTheMistake}</h3>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          compare();
        }}
      >
        <div class="field">
          <label for={id}>{texts.theValueThatYourServer}</label>
          <input
            id={id}
            class="input mono"
            value={value}
            required
            autocomplete="off"
            spellcheck={false}
            placeholder={texts.pasteTheValueForExample}
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
          <small>{texts.inAnyFormBase64Hex}</small>
        </div>
        <div class="buttons">
          <button type="submit" class="button" {...controlOf(actionOf(signed, value.trim()))}>
            {texts.findTheMistake}
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
        <p>{texts.yourValueIsRightIf()}</p>
      </div>
    );
  }
  if (!diagnosis) {
    return (
      <div class="callout bad">
        <p>{texts.noKnownMistakeGivesThis2()}</p>
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
      label={texts.frameworks}
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
            <h4>{texts.aCompleteReceiverFor(title)}</h4>
            <Snippet text={code} label={texts.theReceiverFor(title)} />
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
