import { useState } from 'preact/hooks';
import { useChat } from './context.js';
import { Page } from './icons.js';
import { Formatted, plain } from './text.js';
import type { MessageFile } from './types.js';

/** How a file is shown. */
export const kindOf = ({ kind }: MessageFile): 'image' | 'audio' | 'video' | 'document' =>
  kind === 'image' || kind === 'audio' || kind === 'video' ? kind : kind === 'sticker' ? 'image' : kind === 'voice' ? 'audio' : 'document';

/** A file of a message: a picture in a fixed box, a player, or a link. */
export function FileView({ file }: { file: MessageFile }) {
  const { chat, say } = useChat();
  const [isBroken, setBroken] = useState(false);
  const { name, size, caption } = file;
  const url = new URL(file.url, chat.base).href;
  const kind = isBroken ? 'document' : kindOf(file);
  const label = plain(caption) || name || say(kind);
  const onError = () => setBroken(true);
  return (
    <figure class="file">
      {kind === 'image' && (
        <a href={url} target="_blank" rel="noopener">
          <img src={url} alt={plain(caption) || say('image')} width="240" height="180" loading="lazy" onError={onError} />
        </a>
      )}
      {/* Visitors and operators send sounds and films without captions. */}
      {/* biome-ignore lint/a11y/useMediaCaption: there is none */}
      {kind === 'audio' && <audio src={url} controls preload="none" aria-label={label} onError={onError} />}
      {/* biome-ignore lint/a11y/useMediaCaption: there is none */}
      {kind === 'video' && <video src={url} controls preload="metadata" width="240" height="180" aria-label={label} onError={onError} />}
      {kind === 'document' && (
        <a class="document" href={url} target="_blank" rel="noopener" download={name ?? ''}>
          <Page />
          <span dir="auto">
            {name || say('document')}
            {size !== undefined && <small>{bytes(size)}</small>}
            {isBroken && <small>{say('no_preview')}</small>}
          </span>
        </a>
      )}
      {caption && (
        <figcaption dir="auto">
          <Formatted text={caption} />
        </figcaption>
      )}
    </figure>
  );
}

export function bytes(size: number): string {
  const unit = size < 1_000 ? 'B' : size < 1_000_000 ? 'kB' : 'MB';
  const value = size / { B: 1, kB: 1_000, MB: 1_000_000 }[unit];
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 && unit !== 'B' ? 1 : 0 })} ${unit}`;
}
