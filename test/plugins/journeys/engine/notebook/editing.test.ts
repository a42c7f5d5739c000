import { readFileSync } from 'node:fs';
import t from 'tap';
import { completionsAt } from '../../../../../plugins/journeys/engine/notebook/completion.js';
import { formatNotebook } from '../../../../../plugins/journeys/engine/notebook/format.js';
import { outlineOf } from '../../../../../plugins/journeys/engine/notebook/outline.js';

interface Case {
  readonly about: string;
  /** With a caret where the cursor is. */
  readonly text: string;
  readonly labels: readonly string[];
  readonly kinds?: readonly string[];
  readonly inserts?: readonly string[];
  readonly fields?: readonly string[];
}

const cases = JSON.parse(readFileSync('test/plugins/journeys/engine/notebook/completions.json', 'utf8')) as Case[];

for (const { about, text, labels, kinds, inserts, fields } of cases) {
  t.test(`completion: ${about}`, async (t) => {
    const offset = text.indexOf('‸');
    const plain = text.slice(0, offset) + text.slice(offset + 1);
    const { from, to, options } = completionsAt(plain, offset, fields ? { contactFields: fields } : {});
    t.strictSame(
      options.map(({ label }) => label),
      labels,
    );
    if (kinds) t.strictSame([...new Set(options.map(({ kind }) => kind))], kinds);
    if (inserts)
      t.strictSame(
        options.map(({ insert }) => insert),
        inserts,
      );
    t.equal(to, offset);
    for (const { label, detail } of options) {
      t.ok(label.toLowerCase().startsWith(plain.slice(from, to).toLowerCase()), label);
      t.not(detail, '', label);
    }
  });
}

const messy = `# Title

Prose   stays   as it is.

\`\`\`stack
# about one
card   One,"label",then:Two    when a   ==1   do
x=[
  1,2,   # two
      3
]
      text(  "a"  )
  y = if  x  do
  1
      else
   2
 end

 # at the end
end
# about two
card Two do buttons(One:"again") do text("""
     So?
       Well?
     """) end
 log( upper( x ) & rows [0].name )   # behind
end


interaction_timeout( 60 )
\`\`\`
`;

const tidy = `# Title

Prose   stays   as it is.

\`\`\`stack
# about one
card One, "label", then: Two when a == 1 do
  x = [
    1, 2, # two
    3
  ]
  text("a")
  y = if x do
    1
  else
    2
  end

  # at the end
end

# about two
card Two do
  buttons(One: "again") do
    text("""
    So?
      Well?
    """)
  end
  log(upper(x) & rows[0].name) # behind
end

interaction_timeout(60)
\`\`\`
`;

t.test('a notebook is laid out: indents, spaces and empty lines; comments and prose stay', async (t) => {
  const source = messy.replace('rows [0]', 'rows[0]').replaceAll('then:Two', 'then: Two').replaceAll('One:"again"', 'One: "again"');
  t.match(formatNotebook(source), { text: tidy, findings: [{ severity: 'warning', code: 'no_default_clause' }] });
  t.equal(formatNotebook(tidy).text, tidy);
  t.equal(formatNotebook(source.replaceAll('\n', '\r\n')).text, tidy.replaceAll('\n', '\r\n'), 'line ends stay what they are');
});

t.test('a notebook with errors is left as it is', async (t) => {
  const { text, findings } = formatNotebook(`${messy}\n`);
  t.equal(text, `${messy}\n`);
  t.ok(findings.some(({ severity }) => severity === 'error'));
});

t.test('a fence may be indented; texts in it lose that indent', async (t) => {
  const source = '  ```stack\n  card A do\n    text("one\n    two")\n    text("""\n    three\n    """)\n  end\n  ```\n';
  t.equal(formatNotebook(source).text, source);
});

t.test('sections have their prose and cards; cards have the comments above them', async (t) => {
  const text = `Before.

# One

Prose of one.

<!-- { section: "a", x: 1, y: 2} -->

\`\`\`stack
# about A
# and more
card A do
  log("a")
end

card B do
  log("b")
end
\`\`\`

\`\`\`yaml
# no heading
\`\`\`

## Two ##

\`\`\`stack
card A when x do
end
\`\`\`

After.
`;
  t.strictSame(outlineOf(text), {
    sections: [
      { level: 0, title: '', line: 1, prose: 'Before.', cards: [] },
      { level: 1, title: 'One', line: 3, prose: 'Prose of one.\n\n```yaml\n# no heading\n```', cards: ['A', 'B'] },
      { level: 2, title: 'Two', line: 25, prose: 'After.', cards: ['A'] },
    ],
    cards: [
      { name: 'A', line: 12, column: 1, section: 1, documentation: 'Prose of one.\n\nabout A\nand more' },
      { name: 'B', line: 16, column: 1, section: 1, documentation: '' },
      { name: 'A', line: 28, column: 1, section: 2, documentation: '' },
    ],
  });
});
