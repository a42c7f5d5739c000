import { useState } from 'preact/hooks';
import { Draw } from '../../components/icons.js';
import { SERVER } from '../../data/address.js';
import { type FilePart, mediaIdOf } from './content.js';
import { texts } from './texts.js';

/** A file of a message. Files of the platform are shown; others are links, because the console loads nothing from other servers. */
export function Media({ kind, file }: { kind: string; file: FilePart }) {
  const [hasFailed, setFailed] = useState(false);
  const id = mediaIdOf(file);
  const name = file.filename ?? file.mime_type ?? kind;
  if (id === undefined) return <OutsideLink link={file.link} name={name} />;
  const source = new URL(`admin/v1/console/media/${encodeURIComponent(id)}`, SERVER).href;
  const failed = (): void => setFailed(true);
  if (kind === 'document' || hasFailed)
    return (
      <a class="file" href={source} download={file.filename ?? id}>
        <Draw name="attach" />
        <bdi>{name}</bdi>
        {hasFailed && <small>{texts.cannotBeShown}</small>}
      </a>
    );
  // biome-ignore lint/a11y/useMediaCaption: files of contacts have no captions
  if (kind === 'video') return <video class="media" controls preload="metadata" src={source} onError={failed} aria-label={name} />;
  if (kind === 'audio' || kind === 'voice')
    // biome-ignore lint/a11y/useMediaCaption: files of contacts have no captions
    return <audio class="media" controls preload="metadata" src={source} onError={failed} aria-label={name} />;
  return <img class="media" src={source} alt={file.caption ?? name} loading="lazy" onError={failed} />;
}

function OutsideLink({ link, name }: { link: string | undefined; name: string }) {
  if (link === undefined || !/^https?:\/\//i.test(link)) return <p class="quiet">{texts.aFileWithoutALink}</p>;
  return (
    <p>
      <a class="file" href={link} target="_blank" rel="noopener noreferrer">
        <Draw name="external" />
        <bdi>{name}</bdi>
        <small>{texts.opens(hostOf(link))}</small>
      </a>
    </p>
  );
}

const hostOf = (link: string): string => (URL.canParse(link) ? new URL(link).host : link);
