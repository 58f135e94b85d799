{{/* env and envFrom of the gateway. */}}
{{- define "weir.environment" -}}
envFrom:
  - configMapRef:
      name: {{ include "weir.fullname" . }}-settings
  {{- range include "weir.secrets" . | fromJsonArray }}
  - secretRef:
      name: {{ . | quote }}
  {{- end }}
  {{- with .Values.extraEnvFrom }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with include "weir.variables" . | trim }}
env:
  {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "weir.variables" -}}
{{- if or .Values.config .Values.configExisting }}
- name: WEIR_CONFIG
  value: /etc/weir/weir.yaml
{{- end }}
{{- if .Values.database.passwordSecret.name }}
{{ include "weir.fromSecret" (list "PGPASSWORD" .Values.database.passwordSecret.name .Values.database.passwordSecret.key) }}
{{- end }}
{{- if .Values.database.url }}
- name: DATABASE_URL
  value: {{ .Values.database.url | quote }}
{{- else if .Values.database.urlSecret.name }}
{{ include "weir.fromSecret" (list "DATABASE_URL" .Values.database.urlSecret.name .Values.database.urlSecret.key) }}
{{- end }}
{{- if .Values.redis.url }}
- name: REDIS_URL
  value: {{ .Values.redis.url | quote }}
{{- else if .Values.redis.urlSecret.name }}
{{ include "weir.fromSecret" (list "REDIS_URL" .Values.redis.urlSecret.name .Values.redis.urlSecret.key) }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* A variable from a Secret: its name, that of the Secret, and the key. */}}
{{- define "weir.fromSecret" -}}
- name: {{ index . 0 }}
  valueFrom:
    secretKeyRef:
      name: {{ index . 1 | quote }}
      key: {{ index . 2 | quote }}
{{- end -}}
