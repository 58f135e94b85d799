{{- define "weir.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of the objects: that of the release, with that of the chart unless it is in it. */}}
{{- define "weir.fullname" -}}
{{- $name := include "weir.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "weir.selector" -}}
app.kubernetes.io/name: {{ include "weir.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "weir.labels" -}}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_")
  "app.kubernetes.io/version" (.Chart.AppVersion | toString)
  "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $selector := include "weir.selector" . | fromYaml -}}
{{- mergeOverwrite (dict) .Values.commonLabels $own $selector | toYaml -}}
{{- end -}}

{{/* The metadata of an object. It takes "root", and may take "suffix" of the name, "labels" and "annotations". */}}
{{- define "weir.metadata" -}}
name: {{ include "weir.fullname" .root }}{{ .suffix }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- mergeOverwrite (dict) (.labels | default dict) (include "weir.labels" .root | fromYaml) | toYaml | nindent 2 }}
{{- with mergeOverwrite (dict) .root.Values.commonAnnotations (.annotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The text of a variable, from its name and value. toString would write large numbers as 1e+06, and Helm reads on without quotes as true;
the standard variables of OpenTelemetry have true. */}}
{{- define "weir.text" -}}
{{- $name := index . 0 -}}
{{- $value := index . 1 -}}
{{- if kindIs "string" $value -}}
{{- $value | quote -}}
{{- else if and (kindIs "bool" $value) (not (hasPrefix "OTEL_" $name)) -}}
{{- ternary "on" "off" $value | quote -}}
{{- else -}}
{{- toJson $value | quote -}}
{{- end -}}
{{- end -}}

{{- define "weir.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "weir.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "weir.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The Secret that the chart makes, or that must exist where no other is named. */}}
{{- define "weir.ownSecret" -}}
{{ include "weir.fullname" . }}-secrets
{{- end -}}

{{/* A list of the Secrets whose keys become variables. Later ones win. */}}
{{- define "weir.secrets" -}}
{{- $names := .Values.secrets.existing -}}
{{- if or .Values.secrets.values .Values.secrets.external.enabled (not $names) -}}
{{- $names = prepend $names (include "weir.ownSecret" .) -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{- define "weir.metricsJob" -}}
{{- default (include "weir.fullname" .) .Values.metrics.job -}}
{{- end -}}

{{- define "weir.baseUrl" -}}
{{- if .Values.settings.WEIR_BASE_URL -}}
{{- .Values.settings.WEIR_BASE_URL -}}
{{- else if and .Values.ingress.enabled .Values.ingress.hosts -}}
https://{{ first .Values.ingress.hosts }}
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames -}}
https://{{ first .Values.httpRoute.hostnames }}
{{- end -}}
{{- end -}}

{{/* The keys of the ConfigMap with variables. Blank ones are left out: they would win over weir.yaml. */}}
{{- define "weir.settings" -}}
{{- $settings := omit .Values.settings "WEIR_BASE_URL" -}}
{{- with include "weir.baseUrl" . }}{{ $settings = set $settings "WEIR_BASE_URL" . }}{{ end -}}
{{- range $name, $value := $settings }}
{{- if and (not (kindIs "invalid" $value)) (ne (toString $value) "") }}
{{ $name }}: {{ include "weir.text" (list $name $value) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Seconds of a duration such as 500ms, 30s or 5m. */}}
{{- define "weir.seconds" -}}
{{- $amount := regexFind "^[0-9]+" . | int64 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- if eq $unit "ms" }}{{ div (add $amount 999) 1000 }}
{{- else }}{{ mul $amount (get (dict "s" 1 "m" 60 "h" 3600 "d" 86400) $unit | default 0) }}{{ end -}}
{{- end -}}
