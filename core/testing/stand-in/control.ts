import type Joi from 'joi';
import type { TypeOf } from '../../shape.js';
import type { RecordedCall, Reply } from '../scripted-http.js';

/** A route below `/control`, with which a stand-in is scripted from outside its process. */
export interface ControlRoute<S> {
  readonly path: RegExp;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly summary: string;
  readonly body: Joi.ObjectSchema;
  /** Receives a body that fits the schema, and the group of the path. The result is the JSON of the response. */
  run(standIn: S, body: unknown, id: string): unknown;
}

/** Declares control routes of a stand-in, each with the type of its own body: `const controlRoute = controlRoutesOf<MyStandIn>()`. */
export const controlRoutesOf =
  <S>() =>
  <B extends Joi.ObjectSchema>(
    route: Omit<ControlRoute<S>, 'run' | 'body'> & { readonly body: B; run(standIn: S, body: TypeOf<B>, id: string): unknown },
  ): ControlRoute<S> =>
    route as ControlRoute<S>;

/** Control routes as lines for people. */
export const controlLines = <S>(routes: readonly ControlRoute<S>[]): string[] =>
  routes.map(
    ({ method, path, summary }) => `${method} ${path.source.replace(/[\^$]|\\(?=\/)/g, '').replace(/\(.*\)/, '{id}')}  ${summary}`,
  );

/** Answers calls of the control routes: 404 for another path, 400 with the reason for a body that does not fit and for a failure. */
export async function answerControl<S>(
  routes: readonly ControlRoute<S>[],
  standIn: S,
  { method, text, url }: RecordedCall,
): Promise<Reply> {
  const { pathname } = new URL(url);
  const route = routes.find((one) => one.method === method && one.path.test(pathname));
  if (!route) return { status: 404, body: { error: 'no such route', routes: controlLines(routes) } };
  try {
    const { value: body, error } = route.body.validate(text === '' ? {} : JSON.parse(text), { convert: false });
    if (error) throw error;
    return { body: await route.run(standIn, body, route.path.exec(pathname)?.[1] ?? '') };
  } catch (error) {
    // The person who scripts the stand-in reads the reason.
    return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}
