import { catalogue } from '../../../../../core/web/language.js';

export const texts = catalogue({
  posthornConsole: (title: string) => `${title} · Posthorn console`,
  noPluginHasThisPage: 'No plugin has this page',
  thePluginIsNotLoaded: (plugin: string, name: string) => (
    <>
      The plugin “<bdi>{plugin}</bdi>” is not loaded, or it has no page “<bdi>{name}</bdi>” for the menu.
    </>
  ),
  ofThePlugin: (plugin: string) => (
    <>
      of the plugin <code>{plugin}</code>
    </>
  ),
});
