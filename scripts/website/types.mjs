// @ts-check
/** @file Renders types from TypeDoc's JSON as HTML, with names of the package linked to their pages. */

/** @typedef {{ type: string, [key: string]: any }} Type TypeDoc has some twenty forms; each is read by its case below */
/** @typedef {(id: number) => string | undefined} Links the page of an id */

/** @param {unknown} text */
export const escapeHtml = (text) =>
  String(text).replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? '',
  );

/** @param {string} text @param {string | undefined} page */
const linked = (text, page) => (page ? `<a href="./${page}">${escapeHtml(text)}</a>` : escapeHtml(text));

/** Longer parameter lists take a line per parameter. */
const LINE = 80;

/** @param {string} html */
const visibleLength = (html) => html.replace(/<[^>]*>/g, '').replace(/&\w+;/g, '.').length;

/**
 * @param {Type | undefined} type
 * @param {Links} links
 * @returns {string} HTML
 */
export function typeHtml(type, links) {
  if (!type) return 'unknown';
  /** @param {Type | undefined} inner */
  const show = (inner) => typeHtml(inner, links);
  /** @param {Type[] | undefined} all @param {string} by */
  const list = (all, by) => (all ?? []).map(show).join(by);
  switch (type.type) {
    case 'intrinsic':
    case 'unknown':
      return escapeHtml(type.name);
    case 'literal':
      return escapeHtml(
        type.value === null
          ? 'null'
          : typeof type.value === 'string'
            ? `'${type.value}'`
            : JSON.stringify(type.value),
      );
    case 'reference': {
      // Options without those that come before by position: the page of all options explains them.
      if (type.name === 'OptionsAfter') return show(type.typeArguments?.[0]);
      const page = typeof type.target === 'number' ? links(type.target) : undefined;
      return (
        linked(type.name, page) + (type.typeArguments ? `&lt;${list(type.typeArguments, ', ')}&gt;` : '')
      );
    }
    case 'array':
      return `${grouped(type.elementType, links)}[]`;
    case 'union':
      return list(type.types, ' | ');
    case 'intersection':
      return list(type.types, ' &amp; ');
    case 'tuple':
      return `[${list(type.elements, ', ')}]`;
    case 'namedTupleMember':
      return `${escapeHtml(type.name)}${type.isOptional ? '?' : ''}: ${show(type.element)}`;
    case 'optional':
      return `${show(type.elementType)}?`;
    case 'rest':
      return `...${show(type.elementType)}`;
    case 'typeOperator':
      return `${escapeHtml(type.operator)} ${grouped(type.target, links)}`;
    case 'query':
      return `typeof ${show(type.queryType)}`;
    case 'indexedAccess':
      return `${show(type.objectType)}[${show(type.indexType)}]`;
    case 'conditional':
      return `${show(type.checkType)} extends ${show(type.extendsType)} ? ${show(type.trueType)} : ${show(type.falseType)}`;
    case 'inferred':
      return `infer ${escapeHtml(type.name)}`;
    case 'mapped':
      return `{ [${escapeHtml(type.parameter)} in ${show(type.parameterType)}]: ${show(type.templateType)} }`;
    case 'predicate':
      return `${type.asserts ? 'asserts ' : ''}${escapeHtml(type.name)}${type.targetType ? ` is ${show(type.targetType)}` : ''}`;
    case 'templateLiteral':
      return `\`${escapeHtml(type.head)}${type.tail.map((/** @type {[Type, string]} */ [inner, text]) => `\${${show(inner)}}${escapeHtml(text)}`).join('')}\``;
    case 'reflection':
      return reflectionHtml(type.declaration, links);
    default:
      throw new Error(`the reference can't show types of TypeDoc's form '${type.type}'`);
  }
}

/** @param {Type} type @param {Links} links */
function grouped(type, links) {
  const html = typeHtml(type, links);
  const isOpen = ['union', 'intersection', 'conditional', 'typeOperator'].includes(type.type);
  return isOpen || type.declaration?.signatures ? `(${html})` : html;
}

/** @param {import('./api.mjs').Reflection} declaration @param {Links} links */
function reflectionHtml(declaration, links) {
  if (declaration.signatures && !declaration.children) {
    const all = declaration.signatures.map((signature) => signatureHtml('', signature, links, ' =&gt; '));
    return all.length === 1 ? String(all[0]) : all.map((one) => `(${one})`).join(' &amp; ');
  }
  const calls = (declaration.signatures ?? []).map((signature) => signatureHtml('', signature, links));
  const indexed = (declaration.indexSignatures ?? []).map((signature) => {
    const [key] = signature.parameters ?? [];
    return `[${escapeHtml(key?.name)}: ${typeHtml(key?.type, links)}]: ${typeHtml(signature.type, links)}`;
  });
  const members = (declaration.children ?? []).map((child) => memberHtml(child, links));
  const all = [...calls, ...indexed, ...members];
  return all.length === 0 ? '{}' : `{ ${all.join('; ')} }`;
}

/** Renders a property, method or accessor in one line. @param {import('./api.mjs').Reflection} child @param {Links} links */
export function memberHtml(child, links) {
  const [signature] = child.signatures ?? [];
  const name = `${escapeHtml(child.name)}${child.flags.isOptional ? '?' : ''}`;
  if (signature) return signatureHtml(name, signature, links);
  return `${name}: ${typeHtml(child.getSignature?.type ?? child.type, links)}`;
}

/**
 * Renders a call signature, in one line if it is short.
 *
 * @param {string} name as HTML
 * @param {import('./api.mjs').Reflection} signature
 * @param {Links} links
 * @param {string} [arrow]
 */
export function signatureHtml(name, signature, links, arrow = ': ') {
  const generic = (signature.typeParameters ?? []).map((parameter) => {
    const bound = parameter.type ? ` extends ${typeHtml(parameter.type, links)}` : '';
    return `${escapeHtml(parameter.name)}${bound}`;
  });
  const parameters = (signature.parameters ?? []).map((parameter) => {
    const optional = parameter.flags.isOptional || parameter.defaultValue !== undefined ? '?' : '';
    const called = parameter.name === '__namedParameters' ? 'options' : parameter.name;
    return `${parameter.flags.isRest ? '...' : ''}${escapeHtml(called)}${optional}: ${typeHtml(parameter.type, links)}`;
  });
  const head = `${name}${generic.length > 0 ? `&lt;${generic.join(', ')}&gt;` : ''}`;
  const tail = `${arrow}${typeHtml(signature.type, links)}`;
  const line = `${head}(${parameters.join(', ')})${tail}`;
  if (name === '' || visibleLength(line) <= LINE || parameters.length < 2) return line;
  return `${head}(\n${parameters.map((parameter) => `  ${parameter},\n`).join('')})${tail}`;
}
