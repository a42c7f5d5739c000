// `npm run docs` regenerates the generated parts of the pages. A test compares them with the code.
import { compile, root, selfContained } from './compile.mjs';

const out = process.env.POSTHORN_BUILD ?? '.build-docs';
await compile(['core', 'plugins', 'sandbox', 'scripts', 'test'], out);
selfContained(out);
process.chdir(root);
const { writeDocs } = await import(`../${out}/scripts/docs.js`);
await writeDocs();
