import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder, required } from './measuring/on-demand.js';
import { LANGUAGE, menuForRunner } from './menu-journey.js';

/** The measured parts of `@floip/flow-runner` and `@floip/expression-evaluator`, whose own types need another module resolution. */
interface Cursor {
  readonly prompt: {
    value: unknown;
    readonly config: { readonly kind: string; readonly prompt: string; readonly choices?: readonly { value: string }[] };
  };
}
interface Runner {
  readonly context: object;
  run(): Promise<Cursor | undefined>;
}
interface FlowRunnerPackage {
  readonly FlowRunner: new (context: object) => Runner;
  readonly ResourceResolver: new (context: object) => { resolve(uuid: string): { getText(): string } };
  createContextDataObjectFor(...about: unknown[]): Promise<object>;
}
interface EvaluatorPackage {
  readonly EvaluatorFactory: { create(): { evaluate(template: string, context: object): unknown } };
}

const runnerPackage = required<FlowRunnerPackage>('@floip/flow-runner');
const { EvaluatorFactory } = required<EvaluatorPackage>('@floip/expression-evaluator');

export const versions = ['@floip/flow-runner', '@floip/expression-evaluator'].map((name) => {
  const { version } = JSON.parse(readFileSync(join(packageFolder(name), 'package.json'), 'utf8')) as { version: string };
  return `${name} ${version}`;
});

export const evaluatePublicly = (template: string, context: object): string =>
  String(EvaluatorFactory.create().evaluate(template, context));

/** A conversation with the menu in the public runner. Resolves texts and options, as a channel would need them. */
export async function publicConversation(): Promise<{ start(): Promise<string[]>; say(answer: string): Promise<string[]> }> {
  const { flow, resources, mode } = menuForRunner();
  const contact = { id: '1', name: 'Bo', created_at: '2025-01-01T00:00:00Z', groups: [] };
  const context = await runnerPackage.createContextDataObjectFor(contact, [], 'user', 'org', [flow], LANGUAGE, mode, resources);
  const runner = new runnerPackage.FlowRunner(context);
  let cursor: Cursor | undefined;
  const seen = async (): Promise<string[]> => {
    const texts: string[] = [];
    for (cursor = await runner.run(); cursor; cursor = await runner.run()) {
      const resolver = new runnerPackage.ResourceResolver(runner.context);
      const { kind, prompt, choices = [] } = cursor.prompt.config;
      texts.push([resolver.resolve(prompt).getText(), ...choices.map(({ value }) => `[${resolver.resolve(value).getText()}]`)].join(' '));
      if (kind !== 'Message') break;
      cursor.prompt.value = null;
    }
    return texts;
  };
  return {
    start: seen,
    say(answer) {
      if (cursor) cursor.prompt.value = answer;
      return seen();
    },
  };
}
