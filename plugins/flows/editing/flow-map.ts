import { type CheckedFlow, checkFlow } from '../validate/check-flow.js';
import { createFindings } from '../validate/findings.js';
import { type JsonNode, pathOf } from '../validate/json-node.js';
import { positionsIn } from '../validate/positions.js';
import { entriesOf } from '../validate/routes.js';
import { scan } from '../validate/scan.js';

/** Where a part of a flow is in the text; lines and columns start at 1. */
export interface MappedPlace {
  /** `screens[0].layout.children[1]` */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface MappedComponent extends MappedPlace {
  readonly type: string;
  readonly name?: string;
}

export interface MappedScreen extends MappedPlace {
  readonly id: string;
  readonly title?: string;
  readonly terminal: boolean;
  readonly entry: boolean;
  /** The ids of the screens to which routes lead. */
  readonly routes: readonly string[];
  readonly components: readonly MappedComponent[];
}

/** Maps of longer texts would take as long as their validation, on the thread of the server. */
export const MAX_MAPPED = 256 * 1024;
const VERSION = '7.3';

/** The screens of a flow with their routes and components, and where each is in the text; undefined for a text that is not JSON, or too long. */
export function flowMap(text: string): readonly MappedScreen[] | undefined {
  if (text.length > MAX_MAPPED) return undefined;
  const scanned = scan(text);
  if ('problem' in scanned || scanned.root.kind !== 'object') return undefined;
  const flow = checkFlow(scanned.root, VERSION, createFindings());
  return screensOf(flow, text);
}

function screensOf({ screensById, routes }: CheckedFlow, text: string): MappedScreen[] {
  const rangeOf = positionsIn(text);
  const placeOf = (node: JsonNode): MappedPlace => {
    const { line_start, column_start } = rangeOf(node.start, node.end);
    return { path: pathOf(node), line: line_start, column: column_start };
  };
  const screens = [...screensById.values()];
  const entries = new Set(entriesOf(screens, routes));
  return screens.map((screen) => {
    const title = screen.node.get('title')?.text;
    return {
      ...placeOf(screen.node),
      id: screen.id!,
      ...(title !== undefined && { title }),
      terminal: screen.isTerminal === true,
      entry: entries.has(screen),
      routes: [...(routes.targets.get(screen) ?? [])].map(({ id }) => id!),
      components: screen.components.map(({ node }) => {
        const name = node.get('name')?.text;
        return { ...placeOf(node), type: node.get('type')?.text ?? '', ...(name !== undefined && { name }) };
      }),
    };
  });
}
