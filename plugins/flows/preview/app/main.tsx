import { render } from 'preact';
import { languageOfPage } from '../../../../core/web/language.js';
import type { PageContent } from '../page-content.js';
import { App } from './app.js';
import { parsed, readFlow } from './definition.js';
import { parameters } from './parameters.js';

const content = JSON.parse(document.getElementById('flow')!.textContent!) as PageContent;
Object.assign(document.documentElement, languageOfPage);
const flow = readFlow(parsed(content.definition), content.entries);
render(<App content={content} flow={flow} parameters={parameters(location.search, content, flow)} />, document.getElementById('app')!);
