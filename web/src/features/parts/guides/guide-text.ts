/** `toolsRequired` is a list written as JSON text; text that is not JSON is read as one per comma. */
export function parseTools(toolsRequired: string): string[] {
  try {
    const tools: unknown = JSON.parse(toolsRequired);
    if (Array.isArray(tools)) return tools.filter((tool) => typeof tool === 'string');
  } catch {
    // Read as plain text below.
  }
  return toolsRequired.split(',').flatMap((tool) => tool.trim() || []);
}

/** One step per line; numbers that the text brings along are dropped, the list has its own. */
export function parseSteps(instructions: string): string[] {
  return instructions
    .split('\n')
    .flatMap((line) => line.trim().replace(/^(step\s*)?\d+[.):]\s*/i, '') || []);
}
