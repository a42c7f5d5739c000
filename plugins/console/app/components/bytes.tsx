import { useMemo, useState } from 'preact/hooks';
import { locale } from '../../../../core/web/language.js';
import { texts } from './attempt-texts.js';
import { CopyButton } from './copy.js';
import { Scrolled } from './scrolled.js';

/** The bytes of a body as the admin API shows them. */
export interface BodyBytes {
  readonly bytes: number;
  /** `base64` if the bytes are not UTF-8. */
  readonly encoding: 'utf8' | 'base64';
  readonly content: string;
  /** Whether the rest is missing. */
  readonly cut: boolean;
}

/** Longer texts are shown in parts, so that the page stays responsive. */
const SHOWN_CHARACTERS = 32_768;
const SHOWN_HEX_BYTES = 2_048;
const BYTES_PER_LINE = 16;

const sizes = new Intl.NumberFormat(locale);

/** A body byte by byte, as text or hex. */
export function Bytes({ body, label }: { body: BodyBytes; label: string }) {
  const [view, setView] = useState<'raw' | 'hex'>(body.encoding === 'base64' ? 'hex' : 'raw');
  const [part, setPart] = useState(1);
  const bytes = useMemo(() => bytesOf(body), [body.content, body.encoding]);
  if (body.bytes === 0 && body.content === '') return <p class="quiet">{texts.theIsEmpty(label)}</p>;
  const shownHex = SHOWN_HEX_BYTES * part;
  const shownText = SHOWN_CHARACTERS * part;
  const text = body.encoding === 'utf8' ? body.content : new TextDecoder().decode(bytes);
  const isMore = view === 'hex' ? bytes.length > shownHex : text.length > shownText;
  return (
    <section class="bytes" aria-label={label}>
      <div class="bytes-head">
        <span class="quiet">{texts.bytesBase64NotUtf8(sizes.format(body.bytes), body.encoding)}</span>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend */}
        <span class="toggle" role="group" aria-label={texts.viewOfThe(label)}>
          {(['raw', 'hex'] as const).map((one) => (
            <button key={one} type="button" class="button plain" aria-pressed={view === one} onClick={() => setView(one)}>
              {one === 'raw' ? texts.raw : texts.hex}
            </button>
          ))}
        </span>
        <CopyButton text={text} label={texts.the(label)} look="button plain" />
      </div>
      <Scrolled look={view} dir={view === 'raw' ? 'auto' : 'ltr'} label={texts.labelViewRawAsText(label, view)}>
        {view === 'raw' ? text.slice(0, shownText) : hexLines(bytes.subarray(0, shownHex))}
      </Scrolled>
      {isMore && (
        <button type="button" class="button plain" onClick={() => setPart(part * 8)}>
          {texts.showMoreOfBytes(sizes.format(bytes.length))}
        </button>
      )}
      {body.cut && (
        <p class="callout" role="note">
          {texts.cutAfterBytesThePlatform(sizes.format(bytes.length))}
        </p>
      )}
    </section>
  );
}

export function bytesOf({ content, encoding }: Pick<BodyBytes, 'content' | 'encoding'>): Uint8Array {
  return encoding === 'utf8' ? new TextEncoder().encode(content) : Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
}

export const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (two) => Number.parseInt(two, 16));

/** Lines of an offset, sixteen bytes and their printable ASCII characters. */
export function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_LINE) {
    const line = [...bytes.subarray(at, at + BYTES_PER_LINE)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(BYTES_PER_LINE * 3 - 1)}  ${characters}`);
  }
  return lines.join('\n');
}
