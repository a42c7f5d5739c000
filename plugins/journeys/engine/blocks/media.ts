import { fileNameOf, NETWORK_LIMITS, type Turn } from '#core/basics';
import { type MediaKind, mediaKinds, mimeTypeOf, textTurns } from '../message-turns.js';
import type { BlockType, Run } from './block-type.js';
import { renderedText, uuidsIn } from './config.js';

/** Sends an image, video, audio file or document, by its link or by the id of a stored media file. */
export const media: BlockType = {
  settings: { media_type: 'any', media: 'any', caption: 'any', filename: 'any', mime_type: 'any' },

  enter(run) {
    const kind = kindOf(run.config.media_type);
    const [found] = run.resource(run.config.media);
    if (!kind || !found || found.text.trim() === '')
      return { kind: 'fail', code: 'no_medium', reason: 'media_type or media is missing or empty; set both' };
    const caption = renderedText(run.resource(run.config.caption));
    const isTooLong = kind !== 'audio' && caption.length > NETWORK_LIMITS.caption;
    const file = turnOf(run, kind, { linkOrId: found.text.trim(), type: found.mimeType, caption: isTooLong ? '' : caption });
    run.send([file, ...(isTooLong ? textTurns(caption) : [])]);
    return { kind: 'continue' };
  },

  resources: ({ media: medium, caption }) => uuidsIn(medium, caption),

  check({ config }, report) {
    if (!kindOf(config.media_type)) report.error('config.media_type', `media_type must be one of ${mediaKinds.join(', ')}`);
    report.resource('config.media', config.media);
    if (config.caption) report.resource('config.caption', config.caption);
    if (config.caption && config.media_type === 'audio')
      report.warning('config.caption', 'an audio message cannot have a caption; the message is sent without it');
    report.template('config.filename', config.filename);
  },
};

const kindOf = (type: unknown): MediaKind | undefined => mediaKinds.find((kind) => kind === type);

interface Found {
  readonly linkOrId: string;
  readonly type: string | undefined;
  readonly caption: string;
}

function turnOf(run: Run, kind: MediaKind, { linkOrId, type, caption }: Found): Turn {
  const { filename, mime_type } = run.config;
  const link = /^[a-z][a-z0-9+.-]*:/i.test(linkOrId) ? linkOrId : `media:${linkOrId}`;
  const named = kind === 'document' && typeof filename === 'string' ? run.text(filename) : '';
  const hasMimeType = typeof mime_type === 'string' && mime_type !== '';
  const file = { link, mime_type: hasMimeType ? mime_type : mimeTypeOf(kind, link, { declared: type, name: named }) };
  const captioned = { ...file, ...(caption !== '' && { caption }) };
  switch (kind) {
    case 'image':
      return { type: 'image', image: captioned };
    case 'video':
      return { type: 'video', video: captioned };
    case 'audio':
      return { type: 'audio', audio: file };
    case 'document':
      return { type: 'document', document: { ...captioned, filename: named || (fileNameOf(link) ?? 'document') } };
  }
}
