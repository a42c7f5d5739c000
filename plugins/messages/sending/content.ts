import { InvalidRequest, type JsonObject, type NumberRecord, type PluginContext, type Sendable, type Turn, withoutUndefined } from '#core';
import { type FileKind, fileNameOf, fileTypeOf, fromLegacy, type LegacyTemplate, MEDIA_SCHEME, placeOf } from '#core/areas';
import { classOf } from '../media/media-types.js';
import type { Posted } from '../schemas.js';

/** The object that a posted message has under the name of its type, or a file or parameter inside it. */
type ContentPart = Readonly<Record<string, unknown>>;

/**
 * What was posted as something that can be sent: on the network as it is, to a connector in the shape of a turn.
 * @throws InvalidRequest when it names a medium that is not there, or of another type
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

  /** The type of a file: of one of ours what was uploaded, of another what its name says. */
  async function typeOf({ id, link, filename }: ContentPart, kind: string, around: Path): Promise<string> {
    // In a parameter of a template anything may stand beside the link.
    if (typeof link === 'string') return fileTypeOf(kind as FileKind, link, typeof filename === 'string' ? filename : undefined);
    const known = await media.about(String(id));
    const path = [...around, 'id'];
    if (known?.number !== number.uuid) throw wrong(path, `${placeOf(path)} names no media of this number`);
    if (classOf(known.mime_type) !== kind && kind !== 'document') {
      throw wrong(path, `${placeOf(path)} names media of type ${known.mime_type}, which cannot be sent as ${kind}`);
    }
    return known.mime_type;
  }

  /** As a connector is given it: whole, and with a link to every medium of its parameters. */
  async function templateOf({ name, namespace, language, components = [] }: ContentPart): Promise<ContentPart> {
    const filled = (components as Component[]).map(async ({ type, sub_type, index, parameters = [] }, i) => {
      const path = ['template', 'components', i, 'parameters'];
      return {
        type: type.toLowerCase(),
        ...withoutUndefined({ sub_type, index: index === undefined ? index : String(index) }),
        parameters: await Promise.all(parameters.map((one, n) => parameterOf(one, [...path, n]))),
      };
    });
    const { code } = language as { code: string };
    return { name, ...withoutUndefined({ namespace }), language: { code }, components: await Promise.all(filled) };
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
const wrong = (path: Path, message: string) => new InvalidRequest([{ path, rule: 'any.invalid', message }]);

const FILES = ['image', 'audio', 'video', 'document', 'sticker'];
const isFile = (type: string): boolean => FILES.includes(type);

interface FlowAction {
  readonly parameters: ContentPart;
}

/** With what need not be posted, as the network takes it. Only who navigates names a screen. */
function flowTurn(part: ContentPart): ContentPart {
  const action = part.action as FlowAction;
  const { flow_action = 'navigate', flow_action_payload, mode = 'published', flow_token = 'unused', ...others } = action.parameters;
  const payload = flow_action === 'navigate' ? flow_action_payload : undefined;
  const parameters = { ...others, flow_action, ...withoutUndefined({ flow_action_payload: payload }), flow_token, mode };
  return { ...part, action: { ...action, parameters } };
}

/** A connector is given a link in any case; one to a medium of ours is signed when it is delivered. */
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
