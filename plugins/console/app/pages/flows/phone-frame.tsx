import { useEffect, useRef, useState } from 'preact/hooks';
import { languageOfPage } from '../../../../../core/web/language.js';
import { type FromPreview, PREVIEW_CHANNEL, type ToPreview } from '../../../../../core/web/preview-channel.js';
import { SERVER } from '../../data/address.js';
import { admin, reasonOf } from '../../data/admin.js';
import { shownTheme } from '../../data/preferences.js';
import { texts } from './editor-texts.js';
import type { Checked } from './flow-records.js';

export type PhoneState = Extract<FromPreview, { readonly kind: 'state' }>;
type Told = ToPreview extends infer Message ? (Message extends unknown ? Omit<Message, 'channel'> : never) : never;
export type Tell = (message: Told) => void;

interface Props {
  readonly id: string;
  readonly name: string;
  /** The text that was checked last, which the phone plays. */
  readonly text: string;
  readonly checked: Checked | undefined;
  readonly state: (state: PhoneState) => void;
  /** The user chose a component or a problem in the phone. */
  readonly chosen: (path: string) => void;
  /** Receives the function that sends messages to the preview. */
  readonly tell: (tell: Tell) => void;
}

const themes = ['light', 'dark'] as const;
const devices = { android: texts.android, ios: 'iOS' } as const;

/** The preview of the flow in a frame, which follows the text of the editor. */
export function PhoneFrame({ id, name, text, checked, state, chosen, tell }: Props) {
  const [url, setUrl] = useState<string>();
  const [problem, setProblem] = useState<string>();
  // Until one is chosen, that of the console.
  const [chosenTheme, setTheme] = useState<'light' | 'dark'>();
  const theme = chosenTheme ?? shownTheme.value;
  const [device, setDevice] = useState<'ios' | 'android'>('android');
  const [isChoosing, setChoosing] = useState(false);
  const [isReady, setReady] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  const newest = useRef({ state, chosen });
  newest.current = { state, chosen };
  // The frame is sandboxed, so its origin is opaque and cannot be named as the receiver.
  const send: Tell = (message) => frame.current?.contentWindow?.postMessage({ channel: PREVIEW_CHANNEL, ...message }, '*');

  useEffect(() => {
    admin<{ preview_url: string }>('POST', `/flows/${id}/preview`, {}).then(
      ({ preview_url }) =>
        setUrl(`${new URL(preview_url.replace(/^.*\/(?=flow-preview\/)/, ''), SERVER).href}&interactive=true&lang=${languageOfPage.lang}`),
      (error: unknown) => setProblem(reasonOf(error)),
    );
  }, [id]);

  useEffect(() => {
    const listen = ({ source, data }: MessageEvent<FromPreview>): void => {
      if (!frame.current || source !== frame.current.contentWindow || data?.channel !== PREVIEW_CHANNEL) return;
      if (data.kind === 'ready') setReady(true);
      else if (data.kind === 'state') newest.current.state(data);
      else if (data.kind === 'chosen') {
        setChoosing(false);
        newest.current.chosen(data.path);
      }
    };
    addEventListener('message', listen);
    tell(send);
    return () => removeEventListener('message', listen);
  }, []);

  useEffect(() => {
    if (isReady) send({ kind: 'look', theme, device });
  }, [isReady, theme, device]);
  useEffect(() => {
    if (!isReady || !checked) return;
    const problems = [
      ...checked.errors.map((one) => ({ one, isError: true })),
      ...checked.hints.map((one) => ({ one, isError: false })),
    ].map(({ one, isError }) => ({ path: one.pointers[0]?.path ?? '', message: one.message, isError }));
    send({ kind: 'text', definition: text, entries: checked.entries, problems });
  }, [isReady, checked]);
  useEffect(() => {
    if (isReady) send({ kind: 'choose', on: isChoosing });
  }, [isReady, isChoosing]);

  return (
    <div class="phone-frame">
      <div class="flow-switches">
        <select
          class="select"
          aria-label={texts.device}
          value={device}
          onChange={({ currentTarget }) => setDevice(currentTarget.value as 'ios')}
        >
          {Object.entries(devices).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <select
          class="select"
          aria-label={texts.theme}
          value={theme}
          onChange={({ currentTarget }) => setTheme(currentTarget.value as 'dark')}
        >
          {themes.map((value) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </select>
        <button type="button" class="button outlined" aria-pressed={isChoosing} onClick={() => setChoosing(!isChoosing)}>
          {texts.findInTheText}
        </button>
      </div>
      {problem !== undefined && <p class="act-error">{problem}</p>}
      {url !== undefined && <iframe ref={frame} src={url} title={texts.previewOf(name)} sandbox="allow-scripts allow-forms allow-popups" />}
    </div>
  );
}
