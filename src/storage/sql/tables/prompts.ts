export interface PromptTables {
  readonly prompt_versions: {
    readonly account_id: string;
    readonly name: string;
    readonly version: number;
    readonly id: string;
    /** As JSON. */
    readonly content: string;
    readonly note: string | null;
    readonly created_at_ms: number;
  };
  readonly prompt_labels: {
    readonly account_id: string;
    readonly name: string;
    readonly label: string;
    readonly version: number;
    readonly updated_at_ms: number;
  };
}
