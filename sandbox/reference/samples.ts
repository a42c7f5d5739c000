/** A call of the API as the samples show it. */
export interface SampleCall {
  readonly method: string;
  /** Parameters are variables, such as `$UUID`. */
  readonly url: string;
  /** The variable of the token or admin key; undefined for a call without one. */
  readonly key: string | undefined;
  /** The body as JSON text. */
  readonly json: string | undefined;
  /** The body is a file of bytes instead. */
  readonly hasFile: boolean;
}

/** Values of variables, such as that of `POSTHORN_TOKEN`. Others are read from the environment. */
export type SampleValues = Readonly<Record<string, string>>;

const FILE = 'picture.png';
const FILE_TYPE = 'image/png';
const NEXT = ' \\\n  ';
const VARIABLE = /\$(\w+)/g;

/** The call as a `curl` command. */
export function curlOf({ method, url, key, json, hasFile }: SampleCall): string {
  const isImplied = method === (json === undefined && !hasFile ? 'GET' : 'POST');
  return [
    `curl ${isImplied ? '' : `-X ${method} `}"${url}"`,
    ...(key === undefined ? [] : [`-H "authorization: Bearer $${key}"`]),
    ...(json === undefined ? [] : [`--json '${json.replaceAll("'", `'\\''`)}'`]),
    ...(hasFile ? [`-H "content-type: ${FILE_TYPE}"`, `--data-binary @${FILE}`] : []),
  ].join(NEXT);
}

/** Reads what `curlOf` has written, so that a page contains each call once. */
export function callIn(curl: string): SampleCall {
  const [, method, url = '', rest = ''] = /^curl (?:-X (\w+) )?"([^"]*)"(.*)$/s.exec(curl) ?? [];
  const [, json] = / --json '(.*)'$/s.exec(rest) ?? [];
  const hasFile = rest.includes(`${NEXT}--data-binary `);
  return {
    method: method ?? (json === undefined && !hasFile ? 'GET' : 'POST'),
    url,
    key: /^ \\\n {2}-H "authorization: Bearer \$(\w+)"/.exec(rest)?.[1],
    json: json?.replaceAll(`'\\''`, "'"),
    hasFile,
  };
}

/** The call as a program in JavaScript, for Node 20 and later. */
export function javascriptOf({ method, url, key, json, hasFile }: SampleCall, values: SampleValues): string {
  const text = (template: string): string => {
    const filled = withValues(template, values);
    return filled.search(VARIABLE) >= 0
      ? `\`${filled.replace(VARIABLE, (_, name) => `\${process.env.${name}}`)}\``
      : JSON.stringify(filled);
  };
  const type = json === undefined ? (hasFile ? FILE_TYPE : undefined) : 'application/json';
  const options = [
    ...(method === 'GET' ? [] : [`  method: "${method}",`]),
    ...(key === undefined && type === undefined
      ? []
      : [
          '  headers: {',
          ...(key === undefined ? [] : [`    authorization: ${text(`Bearer $${key}`)},`]),
          ...(type === undefined ? [] : [`    "content-type": "${type}",`]),
          '  },',
        ]),
    ...(json === undefined ? [] : [`  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),`]),
    ...(hasFile ? [`  body: await readFile("${FILE}"),`] : []),
  ];
  return [
    ...(hasFile ? ['import { readFile } from "node:fs/promises";', ''] : []),
    ...(options.length === 0
      ? [`const response = await fetch(${text(url)});`]
      : [`const response = await fetch(${text(url)}, {`, ...options, '});']),
    'console.log(response.status, await response.text());',
  ].join('\n');
}

/** The call as a program in Python, with its standard library only. */
export function pythonOf({ method, url, key, json, hasFile }: SampleCall, values: SampleValues): string {
  const text = (template: string): string => {
    const filled = withValues(template, values);
    return filled.search(VARIABLE) >= 0 ? `f"${filled.replace(VARIABLE, (_, name) => `{os.environ['${name}']}`)}"` : JSON.stringify(filled);
  };
  const type = json === undefined ? (hasFile ? FILE_TYPE : undefined) : 'application/json';
  const headers = [
    ...(key === undefined ? [] : [`"authorization": ${text(`Bearer $${key}`)}`]),
    ...(type === undefined ? [] : [`"content-type": "${type}"`]),
  ];
  const lines = [
    'request = urllib.request.Request(',
    `    ${text(url)},`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(headers.length === 0 ? [] : ['    headers={', ...headers.map((header) => `        ${header},`), '    },']),
    ...(json === undefined ? [] : [`    data=json.dumps(${literal(json).replaceAll('\n', '\n    ')}).encode(),`]),
    ...(hasFile ? [`    data=open("${FILE}", "rb").read(),`] : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ];
  const modules = [
    ...(json === undefined ? [] : ['json']),
    ...(lines.some((line) => line.includes('os.environ')) ? ['os'] : []),
    'urllib.request',
  ];
  return [`import ${modules.join(', ')}`, '', ...lines].join('\n');
}

/** A text with the known values of its variables. */
export const withValues = (text: string, values: SampleValues): string =>
  text.replace(VARIABLE, (variable, name: string) => values[name] ?? variable);

const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** JSON as Python; texts are the same in both. */
const literal = (json: string): string => json.replace(/"(?:[^"\\]|\\.)*"|true|false|null/g, (token) => PYTHON[token] ?? token);
