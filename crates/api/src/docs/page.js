// Shows the calls of /api/openapi.json, and sends them from a form.
// Everything is inserted as text, never as HTML: the document is ours, but responses contain what people typed.

const METHODS = ["get", "post", "put", "patch", "delete"];
/** Maximum depth of an example, for schemas that contain themselves. */
const MAX_DEPTH = 6;

/** An element with attributes and children; texts become text nodes. */
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

/** The target of a reference, or the value itself. */
function resolve(api, value) {
  const names = value?.$ref?.split("/").slice(1);
  return names ? names.reduce((node, name) => node[name], api) : value;
}

/** A value that matches a schema, from its examples if it has any. */
function example(api, reference, depth = 0) {
  const schema = resolve(api, reference) ?? {};
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.length) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return example(api, choices.find((choice) => choice.type !== "null") ?? choices[0], depth);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => example(api, part, depth)));
  const type = Array.isArray(schema.type) ? schema.type.find((name) => name !== "null") : schema.type;
  if (type === "array") return depth < MAX_DEPTH ? [example(api, schema.items, depth + 1)] : [];
  if (type === "object" || schema.properties) {
    if (depth >= MAX_DEPTH) return {};
    const fields = Object.entries(schema.properties ?? {});
    return Object.fromEntries(fields.map(([name, field]) => [name, example(api, field, depth + 1)]));
  }
  if (type === "integer" || type === "number") return schema.minimum ?? 0;
  if (type === "boolean") return false;
  if (schema.format === "date-time") return "2026-01-31T12:00:00Z";
  if (schema.format === "date") return "2026-01-31";
  return "";
}

const json = (value) => JSON.stringify(value, null, 2);

/** A preformatted text that can be scrolled with the keyboard. */
const block = (text, attributes = {}) => element("pre", { tabindex: "0", ...attributes }, text);

/** Paragraphs and tables of a small part of Markdown; `code` in backticks. */
function prose(text = "") {
  const inline = (line) =>
    line.split(/`([^`]*)`/).map((part, index) => (index % 2 ? element("code", {}, part) : part));
  return text.split(/\n{2,}/).map((block) => {
    const lines = block.trim().split("\n");
    if (lines[0].startsWith("#")) return element("h2", {}, ...inline(lines[0].replace(/^#+\s*/, "")));
    if (!lines[0].startsWith("|")) return element("p", {}, ...inline(lines.join(" ")));
    const rows = lines.filter((line) => !/^[|\s-]+$/.test(line)).map((line) => line.split("|").slice(1, -1));
    const row = (cells, name) =>
      element("tr", {}, ...cells.map((cell) => element(name, {}, ...inline(cell.trim()))));
    return element("table", {}, ...rows.map((cells, index) => row(cells, index ? "td" : "th")));
  });
}

function bodyOf(operation) {
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  return mediaType && { mediaType, schema: content.schema };
}

/** The input fields of a form body, each a file or a text; required fields start with their example. */
function formFields(api, schema) {
  const { properties = {}, required = [] } = resolve(api, schema) ?? {};
  return Object.entries(properties).map(([name, reference]) => {
    const field = resolve(api, reference);
    const isFile = (field.items ?? field).format === "binary";
    const value = isFile ? undefined : String(example(api, field));
    const input = isFile
      ? { type: "file", ...(field.items ? { multiple: "" } : {}) }
      : { type: "text", placeholder: value, value: required.includes(name) ? value : undefined };
    return element("label", { class: "field" }, name, element("input", { name: `form:${name}`, ...input }));
  });
}

function parameterFields(operation) {
  return (operation.parameters ?? []).map((parameter) =>
    element(
      "label",
      { class: "field" },
      `${parameter.name} (${parameter.in}${parameter.required ? ", required" : ""}) ${parameter.description ?? ""}`,
      element("input", {
        name: `${parameter.in}:${parameter.name}`,
        ...(parameter.required ? { required: "" } : {}),
        autocomplete: "off",
      }),
    ),
  );
}

/** Sends the call with the values of the form, and returns the response as text. */
async function send(method, path, form, body) {
  const query = new URLSearchParams();
  const headers = {};
  const parts = new FormData();
  let address = path;
  for (const [key, value] of new FormData(form)) {
    const place = key.slice(0, key.indexOf(":"));
    const name = key.slice(key.indexOf(":") + 1);
    const isEmpty = value instanceof File ? value.size === 0 : value === "";
    if (isEmpty) continue;
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(value));
    if (place === "query") query.set(name, value);
    if (place === "header") headers[name] = value;
    if (place === "form") parts.append(name, value);
  }
  const options = { method: method.toUpperCase(), headers, redirect: "manual" };
  if (body?.mediaType === "multipart/form-data") options.body = parts;
  else if (body) {
    headers["content-type"] = body.mediaType;
    options.body = form.elements.namedItem("body:").value;
  }
  const start = performance.now();
  const response = await fetch(query.size ? `${address}?${query}` : address, options);
  const milliseconds = Math.round(performance.now() - start);
  const type = response.headers.get("content-type") ?? "";
  let text = type.startsWith("image/")
    ? `(a picture of ${(await response.blob()).size} bytes)`
    : await response.text();
  if (type.includes("json") && text) text = json(JSON.parse(text));
  const status =
    response.type === "opaqueredirect"
      ? "leads to another page"
      : `${response.status} ${response.statusText}`;
  return `${status} in ${milliseconds} ms\n${type}\n\n${text}`;
}

function tryForm(api, method, path, operation) {
  const body = bodyOf(operation);
  const output = block("", { "aria-live": "polite", hidden: "" });
  const isForm = body?.mediaType === "multipart/form-data";
  const isJson = body?.mediaType.includes("json");
  const fields = isForm ? formFields(api, body.schema) : [];
  if (body && !isForm) {
    const text = element("textarea", { name: "body:", rows: "10", spellcheck: "false" });
    text.value = isJson ? json(example(api, body.schema)) : "";
    fields.push(element("label", { class: "field" }, `Body (${body.mediaType})`, text));
  }
  const form = element(
    "form",
    {
      onsubmit: async (event) => {
        event.preventDefault();
        output.hidden = false;
        output.textContent = "Sending…";
        output.textContent = await send(method, path, form, body).catch(
          (error) => `Not sent: ${error.message}`,
        );
      },
    },
    ...parameterFields(operation),
    ...fields,
    element("button", { type: "submit" }, "Send"),
  );
  return [form, output];
}

function answers(api, operation) {
  return Object.entries(operation.responses).map(([status, reference]) => {
    // A description beside a reference takes precedence over the target's own.
    const response = { ...resolve(api, reference), ...reference };
    const [mediaType, content] = Object.entries(response.content ?? {})[0] ?? [];
    const isOurs = mediaType?.includes("json") && content?.schema;
    const head = element("h4", {}, `${status} ${response.description ?? ""} ${mediaType ?? ""}`.trim());
    const hasExample = isOurs && !mediaType.includes("problem");
    return element("div", {}, head, hasExample ? block(json(example(api, content.schema))) : undefined);
  });
}

function call(api, method, path, operation) {
  const details = element(
    "details",
    {
      id: operation.operationId,
      "data-search": `${method} ${path} ${operation.summary ?? ""}`.toLowerCase(),
    },
    element(
      "summary",
      {},
      element("span", { class: `method ${method}` }, method.toUpperCase()),
      element("code", {}, path),
      ` ${operation.summary ?? ""}`,
    ),
  );
  // Built when it is opened: building a hundred forms at once would be slow.
  details.addEventListener(
    "toggle",
    () =>
      details.append(
        ...prose(operation.description),
        element("h3", {}, "Try it"),
        ...tryForm(api, method, path, operation),
        element("h3", {}, "Answers"),
        ...answers(api, operation),
      ),
    { once: true },
  );
  return details;
}

function show(api) {
  const calls = Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ method, path, operation: item[method] })),
  );
  const tags = [...new Set(calls.map(({ operation }) => operation.tags?.[0] ?? "other"))];
  const sections = tags.map((tag) =>
    element(
      "section",
      {},
      element("h2", {}, tag),
      ...calls
        .filter(({ operation }) => (operation.tags?.[0] ?? "other") === tag)
        .map(({ method, path, operation }) => call(api, method, path, operation)),
    ),
  );
  const main = document.getElementById("calls");
  main.replaceChildren(...prose(api.info.description), ...sections);
  main.setAttribute("aria-busy", "false");
}

document.getElementById("search").addEventListener("input", ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/);
  for (const details of document.querySelectorAll("details")) {
    details.hidden = !words.every((word) => details.dataset.search.includes(word));
  }
});

try {
  const response = await fetch("/api/openapi.json");
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  show(await response.json());
} catch (error) {
  document
    .getElementById("calls")
    .replaceChildren(element("p", {}, `The list of calls cannot be read: ${error.message}`));
}
