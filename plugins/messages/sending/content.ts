import { InvalidRequest, type JsonObject, type NumberRecord, type PluginContext, type Sendable, type Turn, withoutUndefined } from '#core';
import { type FileKind, fileNameOf, fileTypeOf, placeOf } from '#core/basics';
import { fromLegacy, type LegacyTemplate, MEDIA_SCHEME } from '#core/messaging';
import { classOf } from '../media/media-types.js';
import type { Posted } from '../schemas.js';

/** The content of a posted message, or a file or parameter inside it. */
type ContentPart = Readonly<Record<string, unknown>>;

/**
 * Converts a posted message for its driver: unchanged for the network, a turn for a connector.
 * @throws InvalidRequest if the message refers to an unknown media file, or to one of another type
 */
export async function sendableOf(
  { media }: Pick<PluginContext, 'media'>,
  number: NumberRecord,
  posted: Omit<Posted, 'to'>,
): Promise<Sendable> {
  const { type = 'text' } = posted;
  const part = posted[type] as ContentPart;
  const header = type === 'interactive' ? (part.header as ContentPart | undefined) : undefined;
  const file = isFile(type) ? part : header && isFile(String(header.type)) ? (header[String(header.type)] as ContentPart) : undefined;
  const kind = isFile(type) ? type : String(header?.type);
  const mimeType = file && (await typeOf(file, kind, header ? [type, 'header', kind] : [type]));
  const template = type === 'template' ? await templateOf(part) : undefined;
  if (number.kind !== 'channel') return { type, [type]: part };

  if (type === 'hsm') return { template: fromLegacy(part as unknown as LegacyTemplate) } as Turn;
  if (template) return { template } as unknown as Turn;
  if (type === 'interactive') {
    const turn = part.type === 'flow' ? flowTurn(part) : part;
    return { type, interactive: file && header ? { ...turn, header: { ...header, [kind]: linked(file) } } : turn };
  }
  if (file && type !== 'sticker') return { type, [type]: turnFile(type, file, mimeType!) };
  return { type, [type]: part };

  /** The MIME type of a file: the uploaded type of a stored media file, or the type that the name of a linked file suggests. */
  async function typeOf({ id, link, filename }: ContentPart, kind: string, around: Path): Promise<string> {
    // `filename` may be of any type in a parameter of a template, whose unknown keys are not checked.
    if (typeof link === 'string') return fileTypeOf(kind as FileKind, link, typeof filename === 'string' ? filename : undefined);
    const known = await media.about(String(id));
    const path = [...around, 'id'];
    if (known?.number !== number.uuid) throw invalid(path, `${placeOf(path)} is not the id of a media file of this number`);
    if (classOf(known.mime_type) !== kind && kind !== 'document') {
      throw invalid(path, `${placeOf(path)} is a media file of type ${known.mime_type}, which cannot be sent as ${kind}`);
    }
    return known.mime_type;
  }

  /** A template as connectors receive it: with all optional keys, and a link to every media file of its parameters. */
  async function templateOf({ name, namespace, language, components = [] }: ContentPart): Promise<ContentPart> {
    const completed = (components as Component[]).map(async ({ type, sub_type, index, parameters = [] }, i) => {
      const path = ['template', 'components', i, 'parameters'];
      return {
        type: type.toLowerCase(),
        ...withoutUndefined({ sub_type, index: index === undefined ? index : String(index) }),
        parameters: await Promise.all(parameters.map((one, n) => parameterOf(one, [...path, n]))),
      };
    });
    const { code } = language as { code: string };
    return { name, ...withoutUndefined({ namespace }), language: { code }, components: await Promise.all(completed) };
  }

  async function parameterOf(parameter: ContentPart, path: Path): Promise<ContentPart> {
    const kind = String(parameter.type).toLowerCase();
    const file = parameter[kind] as ContentPart | null | undefined;
    if (!isFile(kind) || typeof file !== 'object' || file === null) return parameter;
    await typeOf(file, kind, [...path, kind]);
    return { ...parameter, [kind]: linked(file) };
  }
}

interface Component {
  readonly type: string;
  readonly sub_type?: string | undefined;
  readonly index?: unknown;
  readonly parameters?: readonly ContentPart[];
}

type Path = readonly (string | number)[];
const invalid = (path: Path, message: string) => new InvalidRequest([{ path, rule: 'any.invalid', message }]);

const FILES = ['image', 'audio', 'video', 'document', 'sticker'];
const isFile = (type: string): boolean => FILES.includes(type);

interface FlowAction {
  readonly parameters: ContentPart;
}

/** Fills in the defaults of a flow message. Only `navigate` has a payload, which names the screen. */
function flowTurn(part: ContentPart): ContentPart {
  const action = part.action as FlowAction;
  const { flow_action = 'navigate', flow_action_payload, mode = 'published', flow_token = 'unused', ...others } = action.parameters;
  const payload = flow_action === 'navigate' ? flow_action_payload : undefined;
  const parameters = { ...others, flow_action, ...withoutUndefined({ flow_action_payload: payload }), flow_token, mode };
  return { ...part, action: { ...action, parameters } };
}

/**
 * Replaces the id of a media file by a reference, which becomes a signed link when the message is delivered: connectors receive only links.
 */
const linked = ({ id, ...file }: ContentPart): ContentPart => (id === undefined ? file : { ...file, link: `${MEDIA_SCHEME}${id}` });

function turnFile(type: string, file: ContentPart, mime_type: string): JsonObject {
  const { link, caption, filename } = linked(file) as Record<string, string | undefined>;
  return {
    link: link!,
    mime_type,
    ...(type === 'document' && { filename: filename ?? fileNameOf(link!) ?? 'document' }),
    ...(caption !== undefined && type !== 'audio' && { caption }),
  };
}
