import { catalogue } from '../../../../core/web/language.js';

export const texts = catalogue({
  itDidNotStart: 'it did not start',
  itLeftItsAddress: 'it left its address',
  posthornOpenTakesAPath: (shortened: string) => `posthorn.open takes a path of the console that begins with /, not ${shortened}`,
  thePageDoesNotList: (shortened: string) => `The page does not list the call ${shortened} in its calls`,
  thePageHasCallsWithout: (maxPending: number) => `The page has ${maxPending} calls without a response; wait for one`,
  thisPageOfThePlugin: (plugin: string) => (
    <>
      This page of the plugin “<bdi>{plugin}</bdi>” reports:
    </>
  ),
  loadItAgain: 'Load it again',
  thePageOfThePlugin: (title: string, plugin: string, failed: string) =>
    `The page “${title}” of the plugin “${plugin}” cannot be shown: ${failed}.`,
});
