import type { PluginContext } from '#core';
import type { Performer, TemplateEffect } from '#core/areas';

/** Says whether the number has a template in a language, so that a journey does not wait for an answer to nothing. */
export function performTemplate({ templates }: Pick<PluginContext, 'templates'>): Performer<TemplateEffect> {
  return async ({ name, language }, { number }) => {
    const found = (await templates.list(number)).some((template) => template.name === name && template.language === language);
    if (found) return { kind: 'template' };
    return {
      kind: 'failed',
      code: 'template_not_found',
      reason: `there is no template '${name.slice(0, 60)}' in language ${language.slice(0, 20)}`,
    };
  };
}
