// Made by scripts/web-types.ts from /openapi.json.
export interface paths {

}
