import type { PreviewProblem } from '../../../../core/web/preview-channel.js';

/** The marks that the page that frames the preview asked for. */
export interface Inspection {
  /** By object of the definition, the path of the component. */
  readonly paths: ReadonlyMap<object, string>;
  readonly problems: readonly PreviewProblem[];
  /** The component that the page points at. */
  readonly shown: string | undefined;
  readonly choose: (path: string) => void;
}

/** The paths of all objects in a definition. */
export function pathsIn(json: unknown): ReadonlyMap<object, string> {
  const paths = new Map<object, string>();
  const open: [value: unknown, path: string][] = [[json, '']];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, path] = next;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) paths.set(value, path);
    for (const [key, inner] of Object.entries(value)) {
      const step = Array.isArray(value) ? `[${key}]` : /^[^\s.[\]'"\\]+$/.test(key) ? `${path === '' ? '' : '.'}${key}` : `['${key}']`;
      open.push([inner, `${path}${step}`]);
    }
  }
  return paths;
}

/** Whether a path is that of a component or of a part of it. */
const isPartOf = (path: string, component: string): boolean =>
  path.startsWith(component) && (path.length === component.length || '.['.includes(path[component.length]!));

/** The problems of a component. Those that the phone shows contain no others. @param component its path */
export const problemsOf = ({ problems }: Inspection, component: string): readonly PreviewProblem[] =>
  problems.filter(({ path }) => isPartOf(path, component));

export const isShown = ({ shown }: Inspection, component: string): boolean => shown !== undefined && isPartOf(shown, component);
