import type { Diagnostic, TextPosition } from '../../components/editor/editor-props.js';
import type { Tone } from '../../components/status.js';
import { texts } from './texts.js';

export type FlowStatus = 'DRAFT' | 'PUBLISHED' | 'DEPRECATED' | 'THROTTLED' | 'BLOCKED';

interface Range {
  readonly line_start: number;
  readonly line_end: number;
  readonly column_start: number;
  /** Inclusive. */
  readonly column_end: number;
}

export interface Finding extends Range {
  readonly error: string;
  readonly message: string;
  readonly pointers: readonly (Range & { readonly path: string })[];
  readonly replacement?: Range & { readonly text: string; readonly suggestion: string };
}

export interface ShownFlow {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly status: FlowStatus;
  readonly categories: readonly string[];
  readonly validation_errors: readonly Finding[];
  readonly hints: readonly Finding[];
  readonly screens: readonly string[];
  readonly health_moves: readonly FlowStatus[];
  /** Why an action is not possible now, by action. */
  readonly refusals: Readonly<Partial<Record<'upload' | 'update' | 'publish' | 'deprecate' | 'delete', string>>>;
  readonly updated_at: string;
  readonly endpoint_uri?: string;
  readonly application_id?: string;
  readonly json_version?: string;
}

interface MappedPlace extends TextPosition {
  readonly path: string;
}

export interface MappedScreen extends MappedPlace {
  readonly id: string;
  readonly title?: string;
  readonly terminal: boolean;
  readonly entry: boolean;
  readonly routes: readonly string[];
  readonly components: readonly (MappedPlace & { readonly type: string; readonly name?: string })[];
}

/** The result of `POST /flows/check`. */
export interface Checked {
  readonly errors: readonly Finding[];
  readonly hints: readonly Finding[];
  readonly unlisted_errors: number;
  readonly entries: readonly string[];
  /** Absent while the text is not JSON. */
  readonly screens?: readonly MappedScreen[];
}

export const toneOfStatus: Readonly<Record<FlowStatus, Tone>> = {
  DRAFT: 'neutral',
  PUBLISHED: 'ok',
  DEPRECATED: 'neutral',
  THROTTLED: 'warn',
  BLOCKED: 'bad',
};

const words: Readonly<Record<FlowStatus, string>> = {
  DRAFT: texts.draft,
  PUBLISHED: texts.published,
  DEPRECATED: texts.deprecated,
  THROTTLED: texts.throttled,
  BLOCKED: texts.blocked,
};
/** A status, or a sentence of the server with statuses, in words. */
export const inWords = (text: string): string => text.replace(/\b[A-Z]{5,}\b/g, (name) => words[name as FlowStatus] ?? name);

/** The statuses in the order of the list. */
export const statuses = Object.keys(toneOfStatus) as FlowStatus[];

const startOf = ({ line_start, column_start }: Range): TextPosition => ({ line: line_start, column: column_start });
const endOf = ({ line_end, column_end }: Range): TextPosition => ({ line: line_end, column: column_end + 1 });

/** Findings as the editor marks them. */
export const diagnosticsOf = ({ errors, hints }: Pick<Checked, 'errors' | 'hints'>): Diagnostic[] =>
  [...errors.map((one) => [one, 'error'] as const), ...hints.map((one) => [one, 'hint'] as const)].map(
    ([finding, severity]): Diagnostic => {
      const { replacement } = finding;
      return {
        ...startOf(finding),
        end: endOf(finding),
        severity,
        message: finding.message,
        ...(replacement && {
          fix: {
            label: texts.changeTo(replacement.suggestion),
            insert: replacement.text,
            from: startOf(replacement),
            to: endOf(replacement),
          },
        }),
      };
    },
  );

/** Where a path of a flow is in its text: at its problem, its component or its screen. */
export function placeOfPath(path: string, { errors, hints, screens = [] }: Checked): TextPosition | undefined {
  const finding = [...errors, ...hints].find(({ pointers }) => pointers.some((pointer) => pointer.path === path));
  if (finding) return startOf(finding);
  const places = screens.flatMap((screen): readonly MappedPlace[] => [screen, ...screen.components]);
  return places.filter((place) => path.startsWith(place.path)).sort((a, b) => b.path.length - a.path.length)[0];
}

/** The screen and the component that contain a place of the text. */
export function partAt({ line, column }: TextPosition, screens: readonly MappedScreen[] = []) {
  const isBefore = (place: TextPosition): boolean => place.line < line || (place.line === line && place.column <= column);
  const screen = screens.findLast(isBefore);
  return { screen, component: screen?.components.findLast(isBefore) };
}
