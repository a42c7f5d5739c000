import type { PluginContext } from '#core';
import type { TemplateEffect } from '../engine/effect.js';
import type { Performer } from '../running/performers.js';

/** Checks that the number has the template in this language. Without the check, the journey would wait for an answer to a message that was never sent. */
export function performTemplate({ templates }: Pick<PluginContext, 'templates'>): Performer<TemplateEffect> {
  return async ({ name, language }, { number }) => {
    const found = (await templates.list(number)).some((template) => template.name === name && template.language === language);
    if (found) return { kind: 'template' };
    return {
      kind: 'failed',
      code: 'template_not_found',
      reason: `template '${name.slice(0, 60)}' in language ${language.slice(0, 20)} not found`,
    };
  };
}
