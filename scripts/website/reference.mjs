// @ts-check
/**
 * @file The pages of the reference: one for each export (a factory, its class and their variants of case share one), and lists.
 */
import { IN_PAGES } from '../lib/reference-examples.mjs';
import { docOf, fileOf } from './api.mjs';
import { docParts, summaryOf } from './docstring.mjs';
import { project } from './layout.mjs';
import { highlight, renderMarkdown } from './markdown.mjs';
import { escapeHtml, memberHtml, signatureHtml, typeHtml } from './types.mjs';

/** @typedef {import('./api.mjs').Export} Export */
/** @typedef {import('./api.mjs').Reflection} Reflection */

/**
 * Data that the reference adds to the docstrings.
 *
 * @typedef {object} Additions
 * @property {Readonly<Record<string, { code: string, result: string }>>} examples by qualified name
 * @property {(code: string) => string} link the address of an example's program in the playground
 * @property {Readonly<Record<string, OpFacts>>} ops by name
 * @property {ReadonlyMap<string, readonly string[]>} others names in other libraries, by name
 * @property {(name: string) => string | undefined} keras Keras's name for ours
 */

/** @typedef {{ inputs: string[], options: string[], group: string, gradient: string, second: string, kernels: string[], dtypes: string[] }} OpFacts */

export class Reference {
  /** @type {Map<number, Export>} */
  #byId = new Map();
  /** @type {Map<string, Export[]>} page → its exports */
  pages = new Map();
  /** @type {Map<string, string>} name → page */
  #byName = new Map();
  /** Files of classes that have pages. @type {Set<string>} */
  #classFiles = new Set();
  /**
   * Files of base classes without a page, by the class that shows their members: `Layer`, not each layer. @type {Map<string,
   * Export>}
   */
  #shownBy = new Map();
  /** In how many interfaces a file's members are. @type {Map<string, number>} */
  #interfacesOf = new Map();

  /**
   * @param {Export[]} all
   * @param {{ id: number, target: number }[]} aliases
   * @param {Additions} additions
   */
  constructor(all, aliases, additions) {
    this.all = all;
    this.additions = additions;
    for (const one of all) {
      this.#byId.set(one.reflection.id, one);
      if (one.kind === 'class') this.#classFiles.add(one.file);
      if (one.kind === 'interface')
        for (const file of new Set((one.reflection.children ?? []).map(fileOf)))
          this.#interfacesOf.set(file, (this.#interfacesOf.get(file) ?? 0) + 1);
      const others = this.pages.get(one.page) ?? [];
      // The factory comes before its class.
      this.pages.set(one.page, one.kind === 'class' ? [...others, one] : [one, ...others]);
      if (one.entry !== 'retrograd/kernels' || !this.#byName.has(one.name))
        this.#byName.set(one.name, one.page);
    }
    const isGeneral = (/** @type {Export} */ { kind, name, entry }) =>
      kind === 'class' && !name.includes('.') && entry !== 'retrograd/hub';
    const general = all.filter(isGeneral);
    // `Model` before `Functional`, which extends it.
    for (const one of general.toSorted((a, b) => a.name.length - b.name.length))
      for (const child of one.reflection.children ?? [])
        if (isOfBase(child) && !this.#shownBy.has(fileOf(child))) this.#shownBy.set(fileOf(child), one);
    for (const { id, target } of aliases) {
      const one = this.#byId.get(target);
      if (one) this.#byId.set(id, one);
    }
  }

  /** The page of an id in TypeDoc's JSON. */
  links = (/** @type {number} */ id) => this.#byId.get(id)?.page;

  /** Returns the export of an id in TypeDoc's JSON, also under another name. @param {number} id */
  exportOf(id) {
    return this.#byId.get(id);
  }

  /** The page of a name in backticks, such as `gather` or `layers.dense()`. */
  symbol = (/** @type {string} */ code) => {
    const name = /^[A-Za-z_][\w.]*(?=(?:\(.*\))?$)/.exec(code)?.[0];
    const page = name === undefined ? undefined : this.#byName.get(name);
    return page ? `./${page}` : undefined;
  };

  /** @param {string} text */
  markdown(text) {
    return renderMarkdown(text, { symbol: this.symbol }).html;
  }

  /**
   * The documented members of classes, as search entries. What many classes have by the same name, with the same words, is found once.
   *
   * @returns {import('./build.mjs').SearchEntry[]}
   */
  get members() {
    const known = new Set();
    // Classes that others extend, such as Layer, are not inside a module.
    const isInside = (/** @type {{ name: string }} */ { name }) => Number(name.includes('.'));
    const classes = this.all.filter(({ kind }) => kind === 'class');
    classes.sort((a, b) => isInside(a) - isInside(b));
    return classes.flatMap((one) =>
      this.#shownMembers(one)
        .filter((child) => {
          const said = `${child.name} ${summaryOf(docOf(child))}`;
          const isNew = !known.has(said);
          known.add(said);
          return isNew && !child.overwrites && child.name !== 'constructor' && docOf(child) !== '';
        })
        .map((child) => ({
          title: `${one.name}.${child.name}`,
          kind: `member of ${one.entry}`,
          page: `reference/${one.page}#${memberAnchor(child)}`,
          words: summaryOf(docOf(child)),
        })),
    );
  }

  /** Returns the HTML of a page's main part. @param {string} page */
  render(page) {
    const found = this.pages.get(page) ?? [];
    const [first] = found;
    if (!first) throw new Error(`the reference has no page ${page}`);
    const others = found
      .slice(1)
      .map((one) => `<h2 id="${escapeHtml(one.kind)}">${escapeHtml(one.name)}</h2>${this.#body(one)}`);
    return `<p class="kicker">${escapeHtml(first.entry)} · ${this.#kindOf(first)}</p>
<h1>${breakable(first.name)}</h1>
${this.#body(first)}
${others.join('\n')}
<p class="source">Source: ${sourceHtml(first.file.replace(/^types\//, ''))}</p>`;
  }

  /** @param {Export} one */
  #kindOf(one) {
    return this.#isOp(one) ? 'op' : one.kind;
  }

  /** @param {Export} one */
  #isOp(one) {
    return one.entry === 'retrograd' && one.name in this.additions.ops;
  }

  /** @param {Export} one */
  #body(one) {
    const { text, facts } = docParts(one.doc);
    const example = this.additions.examples[one.name];
    return [
      this.#declaration(one),
      this.markdown(text),
      factsHtml([
        ...facts.map(({ label, text: fact }) => ({ label, html: this.markdown(fact) })),
        ...(this.#isOp(one) ? this.#opFacts(one.name) : []),
        ...this.#otherNames(one),
      ]),
      example && one.kind !== 'class' ? exampleHtml(one.name, example, this.additions.link) : '',
      this.#options(one),
      this.#members(one),
    ].join('\n');
  }

  /** @param {Export} one */
  #declaration(one) {
    const { reflection, name, entry } = one;
    const imported = name.split('.')[0];
    const typed = one.kind === 'interface' || one.kind === 'type' ? 'type ' : '';
    const line = highlight(`import { ${typed}${imported} } from '${entry}';`);
    const last = escapeHtml(reflection.name);
    /** @type {Record<string, () => string>} */
    const shown = {
      function: () => (reflection.signatures ?? []).map((one) => this.#signatures(last, one)).join('\n'),
      constant: () => this.#constant(one),
      class: () => `class ${last}${this.#extended(reflection)}`,
      interface: () => `interface ${last}${this.#extended(reflection)}`,
      type: () => `type ${last} = ${typeHtml(reflection.type, this.links)}`,
    };
    return `<pre class="declaration" tabindex="0"><code>${line}\n\n${shown[one.kind]?.()}</code></pre>`;
  }

  /** Renders the call of an op, or the type of another constant. @param {Export} one */
  #constant(one) {
    const op = this.#isOp(one) ? this.additions.ops[one.name] : undefined;
    return op
      ? this.#call(one, op)
      : `const ${escapeHtml(one.reflection.name)}: ${typeHtml(one.reflection.type, this.links)}`;
  }

  /** Renders an op as a function of tensors. Its type has the dtypes, too, and can't be read. @param {Export} one @param {OpFacts} facts */
  #call(one, { inputs, options }) {
    const tensor = this.#linked('Tensor');
    const type = one.reflection.type;
    /** @type {import('./types.mjs').Type[]} */
    const typeArguments = type?.typeArguments ?? [];
    const [table] = this.#optionsOf(one);
    const inline = typeArguments.find((one) => one.type === 'reflection');
    const needed = table?.reflection.children?.some(({ flags }) => !flags.isOptional) || Boolean(inline);
    const given = table
      ? this.#linked(table.name)
      : inline
        ? typeHtml(inline, this.links)
        : `{ ${options.join(', ')} }`;
    const parameters = inputs.map((input) =>
      input.startsWith('...') ? `${input.slice(3)}: ${tensor}[]` : `${input}: ${tensor}`,
    );
    if (options.length > 0) parameters.push(`options${needed ? '' : '?'}: ${given}`);
    const result = /^(?:Composite)?Op$/.test(type?.name) && typeArguments[2];
    return `${escapeHtml(one.reflection.name)}(${parameters.join(', ')}): ${result ? typeHtml(result, this.links) : tensor}`;
  }

  /** @param {string} name */
  #linked(name) {
    const page = this.#byName.get(name);
    return page ? `<a href="./${page}">${escapeHtml(name)}</a>` : escapeHtml(name);
  }

  /**
   * Renders a signature. One whose options may be passed by position is shown in both forms.
   * @param {string} name @param {Reflection} signature
   */
  #signatures(name, signature) {
    const { parameters = [] } = signature;
    const last = parameters.at(-1);
    const settings =
      last?.flags.isRest && last.type?.name === 'Settings' ? last.type.typeArguments : undefined;
    if (!last || !settings) return signatureHtml(name, signature, this.links);
    const [options, positions] = settings;
    const children = this.#byId.get(options.target)?.reflection.children ?? [];
    const isNeeded = (/** @type {Reflection} */ { flags }) => !flags.isOptional;
    const before = parameters.slice(0, -1);
    const byPosition = (positions?.elements ?? []).map((/** @type {{ value: string }} */ { value }) => {
      const child = children.find((one) => one.name === value);
      const flags = { isOptional: child ? !isNeeded(child) : true };
      return { ...last, name: value, flags, type: child?.type ?? options };
    });
    const object = {
      ...last,
      name: 'options',
      flags: { isOptional: !children.some(isNeeded) },
      type: options,
    };
    const forms = [[...before, object], ...(byPosition.length > 0 ? [[...before, ...byPosition]] : [])];
    return forms.map((all) => signatureHtml(name, { ...signature, parameters: all }, this.links)).join('\n');
  }

  /** @param {Reflection} reflection */
  #extended({ extendedTypes = [] }) {
    // The compiler names a base class that is an expression after the class.
    const named = extendedTypes.filter(({ name }) => !name?.endsWith('_base'));
    return named.length > 0 ? ` extends ${named.map((type) => typeHtml(type, this.links)).join(', ')}` : '';
  }

  /** @param {string} name */
  #opFacts(name) {
    const facts = this.additions.ops[name];
    if (!facts) return [];
    const rows = [
      { label: 'Gradient', text: facts.gradient },
      { label: 'Second gradient', text: facts.second },
      { label: 'Dtypes', text: facts.dtypes.join(', ') },
      { label: 'Kernels', text: facts.kernels.join(', ') || 'none of its own' },
    ];
    return rows.map(({ label, text }) => ({ label, html: escapeHtml(text) }));
  }

  /** @param {Export} one */
  #otherNames({ name, kind, entry }) {
    if (kind === 'class' || entry === 'retrograd/kernels') return [];
    const { keras, others } = this.additions;
    const code = (/** @type {string} */ other) => `<code>${escapeHtml(other)}</code>`;
    const same = entry === 'retrograd/keras' ? keras(name) : undefined;
    const similar = others.get(name);
    return [
      ...(same ? [{ label: 'In Keras', html: code(same) }] : []),
      ...(similar ? [{ label: 'Similar in other libraries', html: similar.map(code).join(', ') }] : []),
    ];
  }

  /** Returns what the options of a page's functions are called, and what is said of them: to be searched. @param {string} page */
  searchedOptions(page) {
    const options = (this.pages.get(page) ?? []).flatMap((one) => this.#optionsOf(one));
    const all = options.flatMap(({ reflection }) => reflection.children ?? []);
    return all.map((child) => `${child.name} ${docOf(child)}`).join(' ');
  }

  /** Returns the interfaces of the options that a function or an op takes. @param {Export} one @returns {Export[]} */
  #optionsOf(one) {
    if (one.kind !== 'function' && one.kind !== 'constant') return [];
    /** @type {Set<Export>} */
    const found = new Set();
    const look = (/** @type {unknown} */ value) => {
      if (typeof value !== 'object' || value === null) return;
      const { type, target, name } = /** @type {Record<string, unknown>} */ (value);
      if (type === 'reference' && typeof target === 'number' && /Options$/.test(String(name))) {
        const options = this.#byId.get(target);
        if (options?.kind === 'interface') found.add(options);
      }
      for (const inner of Object.values(value)) look(inner);
    };
    for (const signature of one.reflection.signatures ?? []) look(signature.parameters);
    look(one.reflection.type);
    return [...found];
  }

  /** Returns the options that a function or an op takes, as tables. @param {Export} one */
  #options(one) {
    return this.#optionsOf(one)
      .map(
        (options) =>
          `<h2 id="${options.name.toLowerCase()}"><a href="./${options.page}">${escapeHtml(options.name)}</a></h2>${this.#optionTable(options)}`,
      )
      .join('\n');
  }

  /**
   * Returns the table of an interface of options: required ones first and marked, then its own as they are written, then inherited ones, and deprecated ones last.
   * @param {Export} one
   * @param {boolean} [anchored]
   */
  #optionTable({ reflection }, anchored = false) {
    const file = fileOf(reflection);
    // Options that few interfaces share come before those of all.
    const keysOf = (/** @type {Reflection} */ child) => [
      Number(docOf(child).startsWith('Deprecated.')),
      Number(child.flags.isOptional ?? false),
      fileOf(child) === file ? 0 : (this.#interfacesOf.get(fileOf(child)) ?? 0),
      child.sources?.[0]?.line ?? 0,
    ];
    const options = (reflection.children ?? []).toSorted((a, b) => compareKeys(keysOf(a), keysOf(b)));
    return this.#properties(options, { anchored, marked: (child) => !child.flags.isOptional });
  }

  /**
   * @param {Reflection[]} children
   * @param {{ anchored?: boolean, marked?: (child: Reflection) => boolean }} [shown] whether links can point to rows; which are required
   */
  #properties(children, { anchored = true, marked = () => false } = {}) {
    const rows = children.map((child) => {
      const needed = marked(child) ? ' <span class="needed">required</span>' : '';
      const anchor = anchored ? ` id="${memberAnchor(child)}"` : '';
      return `<tr${anchor}><th scope="row"><code>${escapeHtml(child.name)}</code>${needed}</th><td><code>${child.signatures ? memberHtml(child, this.links) : typeHtml(child.getSignature?.type ?? child.type, this.links)}</code></td><td>${this.markdown(docOf(child))}</td></tr>`;
    });
    if (rows.length === 0) return '';
    return `<div class="table" tabindex="0"><table class="members"><thead><tr><th scope="col">name</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
  }

  /**
   * Returns the members that the page of an interface or a class lists: its own, and those of base classes that have no page,
   * if they have words.
   * @param {Export} one
   */
  #shownMembers(one) {
    return (one.reflection.children ?? []).filter((child) => {
      if (!child.inheritedFrom || one.kind === 'interface') return true;
      const file = fileOf(child);
      const isElsewhere =
        !isOfBase(child) || this.#classFiles.has(file) || (this.#shownBy.get(file) ?? one) !== one;
      return !isElsewhere && !child.name.startsWith('[') && docOf(child) !== '';
    });
  }

  /** @param {Export} one */
  #members(one) {
    const children = this.#shownMembers(one);
    if (one.kind === 'interface') {
      if (children.length === 0) return '';
      const isOptions = one.name.endsWith('Options');
      return `<h2>Members</h2>${isOptions ? this.#optionTable(one, true) : this.#properties(children)}`;
    }
    if (one.kind !== 'class') return '';
    const maker = children.find((child) => child.name === 'constructor');
    const rest = children.filter((child) => child !== maker);
    const own = (/** @type {boolean} */ isStatic) =>
      rest.filter((child) => Boolean(child.flags.isStatic) === isStatic);
    const made = (maker?.signatures ?? []).map((signature) =>
      signatureHtml(`new ${escapeHtml(one.reflection.name)}`, signature, this.links),
    );
    const isForApps = !/\bInternal:/.test(maker ? docOf(maker) : '');
    return [
      made.length > 0 && isForApps
        ? `<h2>Constructor</h2><pre tabindex="0"><code>${made.join('\n')}</code></pre>${maker ? this.markdown(docOf(maker)) : ''}`
        : '',
      own(false).length > 0 ? `<h2>Members</h2>${this.#properties(own(false))}` : '',
      own(true).length > 0 ? `<h2>Static members</h2>${this.#properties(own(true))}` : '',
    ].join('\n');
  }
}

/** A link once the repository is known. @param {string} file */
function sourceHtml(file) {
  const { repository } = project();
  const name = `<code>${escapeHtml(file)}</code>`;
  return repository ? `<a href="${escapeHtml(repository)}/blob/main/${escapeHtml(file)}">${name}</a>` : name;
}

/**
 * Merges facts that are both in a docstring and in the table of ops into one row.
 * @param {{ label: string, html: string }[]} facts
 */
function factsHtml(facts) {
  if (facts.length === 0) return '';
  const labels = [...new Set(facts.map(({ label }) => label))];
  const rows = labels.map((label) => {
    const all = facts.filter((fact) => fact.label === label).map(({ html }) => `<dd>${html}</dd>`);
    return `<div><dt>${label}</dt>${all.join('')}</div>`;
  });
  return `<dl class="facts">${rows.join('\n')}</dl>`;
}

/** @param {string} name @param {{ code: string, result: string }} example @param {(code: string) => string} link */
function exampleHtml(name, { code, result }, link) {
  const shown =
    result === ''
      ? ''
      : `\n<span class="hljs-comment">// ${escapeHtml(result).replaceAll('\n', '\n// ')}</span>`;
  const open = IN_PAGES.includes(name)
    ? ''
    : `<p class="try"><a href="${link(code)}">Open in the playground</a></p>`;
  return `<h2 id="example">Example</h2><figure class="code"><pre tabindex="0"><code>${highlight(code)}${shown}</code></pre></figure>${open}`;
}

/** Returns whether a member is that of a base class without a page. @param {Reflection} member */
const isOfBase = ({ inheritedFrom }) => inheritedFrom !== undefined && (inheritedFrom.target ?? -1) < 0;

/** Returns the anchor of a member. Static members may have the name of another one. @param {Reflection} member */
const memberAnchor = ({ name, flags }) => `${flags.isStatic ? 'static-' : ''}${escapeHtml(name)}`;

/** Compares lists of numbers of the same length: the first difference decides. @param {number[]} a @param {number[]} b */
function compareKeys(a, b) {
  const differences = a.map((key, i) => key - /** @type {number} */ (b[i]));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** Allows line breaks in long names at dots and humps. @param {string} name */
const breakable = (name) => escapeHtml(name).replace(/([.a-z])(?=[A-Z])|\.(?=[a-z])/g, '$&<wbr />');
