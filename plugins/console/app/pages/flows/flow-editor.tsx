import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ActError, useAct } from '../../components/act.js';
import { Editor } from '../../components/editor/editor.js';
import type { Completions, Diagnostic, EditorControls, TextPosition } from '../../components/editor/editor-props.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { Outdated, outdated } from '../../components/outdated.js';
import { Status } from '../../components/status.js';
import { ToolButton } from '../../components/tool-button.js';
import { admin, isUnreachable, RETRY_MS } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { useFoundLine, wholeLine } from '../../data/found-words.js';
import { controlOf } from '../../data/operator.js';
import { useShortcuts } from '../../data/shortcuts.js';
import { visits } from '../../data/visits.js';
import { texts } from './editor-texts.js';
import { type Checked, diagnosticsOf, inWords, partAt, placeOfPath, type ShownFlow, toneOfStatus } from './flow-records.js';
import { Publish } from './life-cycle.js';
import { PhoneFrame, type PhoneState, type Tell } from './phone-frame.js';
import { SidePanels } from './side-panels.js';
import { unsaved } from './unsaved.js';

const SendSheet = lazyPart(() => import('./send-sheet.js'));

/** A check waits until the user pauses. */
const PAUSE_MS = 250;
const PARTS = ['text', 'phone', 'about'] as const;
const partNames = { text: texts.text, phone: texts.phone, about: texts.about } as const;

interface Props {
  readonly flow: ShownFlow;
  readonly definition: string;
  readonly back: string;
  readonly saved: () => void;
}

/** The call that sends a flow to a phone. */
const SENDING = { method: 'POST', path: '/conversations/{uuid}/messages' } as const;

/** The text of a flow, the phone that plays it, and what is known about both. */
export default function FlowEditor({ flow, definition, back, saved }: Props) {
  const [text, setText] = useState(() => unsaved.get(flow.id)?.text ?? definition);
  /** The stored text that the user began to change, and the newest one that is known. */
  const [kept, setKept] = useState(() => unsaved.get(flow.id)?.kept ?? definition);
  const [stored, setStored] = useState(definition);
  const [checked, setChecked] = useState<{ text: string; result: Checked; diagnostics: readonly Diagnostic[] }>();
  const [phone, setPhone] = useState<PhoneState>();
  const [part, setPart] = useState<(typeof PARTS)[number]>('text');
  const [isSending, setSending] = useState(false);
  const controls = useRef<EditorControls>();
  const tell = useRef<Tell>(() => {});
  const act = useAct();
  const line = useFoundLine();
  const visit = visits.value;
  useEffect(() => {
    if (line) setPart('text');
    if (line) controls.current?.goTo(...wholeLine(line));
  }, [line, visit]);
  const isChanged = text !== kept;
  const isOutdated = isChanged && stored !== kept;
  const refusal = flow.refusals.upload && inWords(flow.refusals.upload);

  useEffect(() => {
    const abort = new AbortController();
    const check = async (): Promise<void> => {
      const result = await admin<Checked>('POST', '/flows/check', { definition: text }, abort.signal);
      setChecked({ text, result, diagnostics: diagnosticsOf(result) });
    };
    const later = (ms: number): ReturnType<typeof setTimeout> =>
      setTimeout(() => {
        check().catch((error: unknown) => {
          if (!abort.signal.aborted && isUnreachable(error)) timer = later(RETRY_MS);
        });
      }, ms);
    let timer = later(checked === undefined ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);

  useEffect(() => {
    if (isChanged) unsaved.set(flow.id, { text, kept });
    else unsaved.delete(flow.id);
  }, [text, kept]);
  const restart = (from: string): void => {
    setText(from);
    setKept(from);
    setStored(from);
  };
  useEffect(() => {
    if (isChanged) setStored(definition);
    else restart(definition);
  }, [definition]);

  const action = { method: 'PUT', path: `/flows/${flow.id}/definition`, payload: { definition: text } } as const;
  const save = async (): Promise<void> => {
    // Changes of flows have no event: another tab may have saved since.
    const newest = await act.run<{ definition: string; sha256: string }>({ method: 'GET', path: `/flows/${flow.id}` });
    if (!newest) return;
    if (!isChanged) return restart(newest.definition);
    setStored(newest.definition);
    if (![stored, kept, text].includes(newest.definition)) return announce(outdated('flow'));
    // Another tab may save between this check and the request; `replaces` makes the platform refuse the second save.
    const payload = { definition: text, replaces: newest.sha256 };
    const result = await act.run({ ...action, payload }, async ({ status }) => {
      const now = status === 409 ? await admin<{ definition: string }>('GET', `/flows/${flow.id}`).catch(() => newest) : newest;
      if (now.definition === newest.definition) return false;
      setStored(now.definition);
      announce(outdated('flow'));
      return true;
    });
    if (result === undefined) return;
    announce(texts.saved);
    setKept(text);
    setStored(text);
    saved();
  };
  const goTo = (place: TextPosition, path: string): void => {
    setPart('text');
    // The editor has its size only after it is shown.
    requestAnimationFrame(() => controls.current?.goTo(place));
    tell.current({ kind: 'show', path });
  };
  const format = (): void => {
    try {
      controls.current?.replace(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    } catch {
      announce(texts.theTextIsNotJson);
      controls.current?.step(1);
    }
  };
  const moved = (place: TextPosition): void => {
    const { screen, component } = partAt(place, checked?.result.screens);
    if (screen && component && screen.id === phone?.screen) tell.current({ kind: 'show', path: component.path });
  };
  useShortcuts({
    'mod+s': () => {
      if (isChanged && refusal === undefined) void save();
    },
  });

  return (
    <div class="flow-page" data-part={part}>
      <div class="flow-head">
        <Link href={back} class="button plain">
          <Draw name="back" turns /> {texts.flows}
        </Link>
        <h1>
          <bdi>{flow.name}</bdi>
        </h1>
        <Status tone={toneOfStatus[flow.status]}>{inWords(flow.status)}</Status>
        {checked && checked.result.errors.length > 0 && <Status tone="bad">{texts.errorCount(checked.result.errors.length)}</Status>}
        <span class="grow" />
        {refusal === undefined ? (
          <>
            <button type="button" class="button outlined" onClick={format}>
              {texts.format}
            </button>
            <ToolButton
              label={isChanged ? texts.save : texts.saved}
              action={action}
              look={isChanged ? 'button' : 'button plain'}
              isDisabled={act.isBusy || !isChanged}
              onClick={() => void save()}
            />
          </>
        ) : (
          <p class="quiet">
            {refusal} <Link href={`/flows/new?copy=${flow.id}`}>{texts.copyItToADraft}</Link>
          </p>
        )}
        {flow.refusals.publish === undefined && !isChanged && <Publish flow={flow} done={saved} />}
        <button type="button" class="button outlined" {...controlOf(SENDING)} onClick={() => setSending(true)}>
          <Draw name="phone" /> {texts.sendToAPhone}
        </button>
      </div>
      <ActError error={act.error} />
      {isOutdated && <Outdated noun="flow" drop={() => restart(stored)} />}
      <fieldset class="flow-parts-switch" aria-label={texts.partOfThePage}>
        {PARTS.map((one) => (
          <button key={one} type="button" class="button outlined" aria-pressed={part === one} onClick={() => setPart(one)}>
            {partNames[one]}
          </button>
        ))}
      </fieldset>
      <div class="flow-parts">
        <section class="flow-text" aria-label={texts.text}>
          <Editor
            value={text}
            language="json"
            label={texts.flowJsonOf(flow.name)}
            isReadOnly={refusal !== undefined}
            onChange={setText}
            onCursor={moved}
            diagnostics={checked?.text === text ? checked.diagnostics : undefined}
            complete={(written, offset) => admin<Completions>('POST', '/flows/completions', { definition: written, offset })}
            controls={(one) => {
              controls.current = one;
              if (line) one?.goTo(...wholeLine(line));
            }}
          />
        </section>
        <section class="flow-phone" aria-label={texts.phone}>
          <PhoneFrame
            id={flow.id}
            name={flow.name}
            text={checked?.text ?? text}
            checked={checked?.result}
            state={setPhone}
            chosen={(path) => {
              const place = checked && placeOfPath(path, checked.result);
              if (place) goTo(place, path);
            }}
            tell={(send) => {
              tell.current = send;
            }}
          />
        </section>
        <section class="flow-about" aria-label={texts.aboutTheFlow}>
          <SidePanels checked={checked?.result} phone={phone} tell={(message) => tell.current(message)} goTo={goTo} />
        </section>
      </div>
      {isSending && <SendSheet flow={flow} isChanged={isChanged} close={() => setSending(false)} />}
    </div>
  );
}
