/** @file Quiet colours for JavaScript: comments, strings, keywords, numbers. */

const token =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?|`(?:\\.|[^`\\])*`?)|(?<keyword>\b(?:as|async|await|break|case|catch|class|const|continue|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|let|new|null|of|return|switch|this|throw|true|try|typeof|undefined|using|while)\b)|(?<number>\b\d[\w.]*)/g;

/** `source` as nodes: text, and spans with the class of their kind. */
export function highlighted(source: string): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let end = 0;
  for (const match of source.matchAll(token)) {
    nodes.push(source.slice(end, match.index));
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? '';
    const span = document.createElement('span');
    span.className = kind;
    span.textContent = match[0];
    nodes.push(span);
    end = match.index + match[0].length;
  }
  nodes.push(source.slice(end));
  return nodes;
}
